"""The words in a column's name, and what they suggest: identifiers, labels, times, causes without causes.

A name never decides alone. It tips the balance where the values allow two readings (1, 2, 3 in a column that
is called `race`), and it is what suggestions rest on, which nothing enforces.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


IDENTIFIERS = _words("""
    id ids idx index key uuid guid seqn pid uid rownames rowname rowid rownum row unnamed caseid casenum
    caseno case idnum idno idcode subjid subjectid patientid personid userid customerid studyid respid
    respondent district serial ssn barcode isbn obs observation obsno record recordid accession ticket
    phone zip zipcode postcode fips
""")
#: Names of what is measured repeatedly: many whole numbers under such a name label groups of rows.
ENTITIES = _words("""
    id ids uuid guid pid uid seqn caseid idcode subjid subjectid patientid personid userid customerid studyid
    subject patient person participant animal donor family household respondent individual firm company school
    hospital clinic district zip zipcode postcode fips
""")
#: Names of labels: few whole numbers under such a name are codes, not quantities.
LABELS = _words("""
    race ethnicity ethnic group grp type class region target species category kind religion party occupation
    occ industry sector cluster label state city country county treatment arm condition batch site center
    centre color colour brand marital status major gender sex job language nation nationality diagnosis cause
    mode method origin block variety strain genotype phenotype plan province continent dept department
    division zone segment cohort design shape material
""")
TIMES = _words("""
    year yr years date day month week quarter time timestamp datetime hour minute second period decade season
""")
#: Whole numbers in order that mean something: neither identifiers nor counts.
RANKS = _words("rank ranking order position place score rating grade level age percent pct share")
_BIRTH = _words(
    "age sex gender race ethnicity ethnic female male birth birthyear birthdate dob birthday born"
)


def tokens(name: str) -> set[str]:
    """The words in a name: `patientID_2` has patient, id and 2."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)}


def root_reason(name: str) -> str:
    """Why nothing in a table is likely to cause a column of this name; "" if nothing suggests it."""
    words = tokens(name)
    if words & _BIRTH:
        return "given at birth"
    return "a time" if words and all(word in TIMES or word.isdigit() for word in words - {"of"}) else ""
