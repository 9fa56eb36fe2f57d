"""Common given names that tell "he" from "she" where several people could be meant."""

from __future__ import annotations

from typing import Literal

Gender = Literal["he", "she"]

_FEMALE = """
ada adele agatha agnes aisha alexandra alice amelia amy angela anita ann anna anne annie audrey barbara
beatrice betty beyonce billie bridget britney camille carla carmen caroline catherine cecilia celine
charlotte chloe christina christine clara claudia cleopatra coco cynthia daisy deborah denise diana
dolores doris dorothy edith eileen eleanor elena elizabeth ella ellen elsa emily emma emmy esther eva
evelyn fatima fiona florence frances frida gabriela georgia gertrude gloria grace greta hannah harriet
hedy heidi helen helena hilary hillary ida indira ingrid irene isabel isabella jacqueline jane janet jean
jennifer jessica joan joanna josephine judith judy julia juliet karen kate katherine kathryn katie laura
lauren leila lena leona linda lisa louise lucy lydia madeleine madonna malala margaret maria mariah marie
marilyn marina marlene martha mary matilda maya melanie melissa meryl michelle mildred miriam monica
nadia nancy naomi natalia natalie nicole nina nora olga olivia oprah pamela patricia paula pauline
phyllis rachel rebecca rihanna rita rosa rosalind rose ruth sally sandra sarah serena shirley simone
sofia sonia sophia sophie stella susan sylvia tatiana teresa theresa tina toni ursula valentina vanessa
vera victoria viola virginia vivian wendy whitney wilma winifred yoko yvonne zadie zoe
"""
_MALE = """
aaron abraham adam adolf ahmed alan albert alexander alfred ali allan andre andrei andrew anthony antonio
arnold arthur august barack ben benjamin bernard bill bob boris brad brian bruce carl carlos charles
charlie christopher claude clint colin cristiano dan daniel david dennis dmitri donald douglas duke edgar
edmund eduardo edward edwin elvis emmanuel eric erik ernest ernst eugene felix ferdinand fidel francis
francisco franz fred frederick fyodor galileo gary geoffrey george gerald giovanni giuseppe gordon graham
gregory gustav guy hans harold harry harvey hector henri henry herbert herman homer hugh hugo humphrey
ian igor isaac ivan jack jacob jacques james jan jason jeff jeffrey jeremy jerome jim jimmy johann
johannes john johnny jonathan jorge jose joseph juan jules julius karl keith kenneth kevin konrad kurt
larry lars lawrence leo leon leonard leonardo leopold lewis lionel louis lucas ludwig luigi luis luke
marcel marco marcus mario mark martin matthew maurice max michael miguel mike mikhail miles mohammed
moses muhammad napoleon neil nelson niccolo nicholas nick niels nikita nikola nikolai noah norman oliver
omar orson oscar otto pablo patrick paul pedro peter philip pierre quentin ralph raphael raymond rene
richard robert rodrigo roger roland ronald rudolf russell salvador sam samuel saul scott sean sebastian
sergei sergio simon socrates stanley stephen steve steven stuart sigmund ted terry theodore thomas tim
timothy tom tony ulysses victor vincent vladimir walt walter warren werner wilhelm william winston
wolfgang woodrow yuri
"""
_GENDER: dict[str, Gender] = {
    **dict.fromkeys(_FEMALE.split(), "she"),
    **dict.fromkeys(_MALE.split(), "he"),
}


def gender_of(name: str) -> Gender | None:
    """The pronoun that the first part of a person's name suggests; None where it does not tell."""
    parts = name.replace(".", " ").split()
    titles = {"mr": "he", "sir": "he", "lord": "he", "mrs": "she", "ms": "she", "miss": "she", "lady": "she"}
    first = parts[0].lower() if parts else ""
    if first in titles:
        return "he" if titles[first] == "he" else "she"
    return _GENDER.get(first)
