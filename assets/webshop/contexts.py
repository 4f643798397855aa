"""The joints of an instruction, each with its weight: how people start, add, choose and say what it is for."""

from __future__ import annotations

Weighted = dict[str, float]

OPENERS: Weighted = {
    "i am looking for": 310, "im looking for": 175, "i need": 160, "i want": 95, "i would like": 108,
    "i want to find": 31, "i want to buy": 18, "i am interested in": 15, "find me": 11, "i need to buy": 9,
    "i would like to buy": 10, "looking for": 10, "get me": 7, "i want to get": 5, "i would like to get": 5,
    "i am interested in buying": 5, "buy me": 4, "i am looking": 4, "id like to find": 4, "find": 4,
    "can you find me": 12, "im interested in": 4, "look for": 3, "id like to buy": 3, "i am searching for": 4,
    "i looking": 2, "i am looking to buy": 2, "show me": 2, "help me find": 2, "buy": 3, "i’m looking for": 2,
    "can i get": 4, "im looking to buy": 1, "i need to find": 1, "i am in need of": 2, "im trying to find": 2, "get": 2,
    "shop for": 1, "id like": 2, "need": 1, "i need to order": 1, "i want buy": 1, "please help me find": 1,
    "i am looking to purchase": 1, "im searching for": 1, "please find": 1, "let me get": 1, "i need to get": 1,
    "i want to purchase": 2, "order me": 1, "i need you to find": 1, "i am shopping for": 0.3, "search for": 1,
    "i would prefer": 1, "i must have": 1, "i wish to buy": 1, "i really need": 1, "i could use": 1,
    "i hope to find": 1, "i wanna buy": 1, "i wanted to get": 1, "i have been looking for": 1, "i require": 1,
    "i am after": 1, "i like": 0.6, "i just need": 1, "i also need": 0.7, "i still need": 0.5, "i prefer": 0.6,
    "i plan to buy": 0.6, "i seek": 0.5, "i will take": 0.4, "i gotta have": 0.3, "im after": 1, "im shopping for": 0.3,
    "im hoping to find": 1, "im in the market for": 1, "im wanting": 0.5, "im buying": 0.5, "im trying to buy": 0.6,
    "ive been looking for": 1, "id love": 0.8, "id prefer": 0.6, "id be interested in": 0.6, "ill need": 0.5,
    "ill take": 0.4, "we need": 0.3, "we are looking for": 0.3, "we want": 0.6, "we would like": 0.6,
    "were looking for": 0.5, "my wife wants": 0.7, "my husband needs": 0.7, "my son needs": 0.7,
    "my daughter wants": 0.7, "my mom needs": 0.6, "my friend wants": 0.5, "my sister would like": 0.5,
    "could you find": 1, "could you get me": 0.7, "could i get": 0.6, "can you get me": 0.6, "can you show me": 0.6,
    "can we get": 0.4, "would you find me": 0.6, "will you find": 0.4, "do you have": 0.4, "do you sell": 0.6,
    "where can i find": 0.2, "where do i find": 0.1, "please get me": 0.7, "please look for": 0.7,
    "please show me": 0.7, "please order": 0.5, "please search for": 0.6, "please buy": 0.4, "please add": 0.4,
    "pls find": 0.3, "help me to find": 0.5, "help find": 0.5, "give me": 0.8, "get us": 0.3, "show us": 0.3,
    "pick out": 0.6, "pick": 0.6, "choose": 0.6, "select": 0.5, "order": 0.6, "purchase": 0.5, "locate": 0.5,
    "looking to buy": 0.8, "looking to get": 0.5, "searching for": 0.8, "shopping for": 0.2, "in need of": 0.7,
    "in search of": 0.6, "want": 0.8, "want to buy": 0.7, "wanting": 0.3, "trying to find": 0.6, "hoping to get": 0.4,
    "interested in": 0.6, "need to buy": 0.6, "need to find": 0.5, "would like": 0.6, "add": 0.3, "send me": 0.4,
    "hi i need": 0.4, "hello im looking for": 0.4, "hey find me": 0.3, "ok find me": 0.3, "lets find": 0.4,
    "lets get": 0.3, "let us find": 0.3, "let me see": 0.3, "time to buy": 0.3, "go find": 0.3, "go get": 0.3,
}  # fmt: skip

LEADS = {"is": 0.74, "of": 0.5, "cut": 0.5, "a": 0.3, "has": 0.36, "room": 0.3, "for": 0.25, "fits": 0.15}
"""How often an attribute of a shape stands before the noun."""

THAT: Weighted = {
    "that is": 3.6, "that are": 0.3, "thats": 0.9, "which is": 0.6, "and is": 0.5, "it should be": 0.2, "and": 0.5,
    "that should be": 0.1, "which should be": 0.2, "and should be": 0.1, "that can be": 0.1, "thats also": 0.1,
    "that is also": 0.2, ",": 1.2,
}  # fmt: skip
THAT_MANY: Weighted = {
    "that are": 5, "which are": 0.5, "that is": 0.9, "and are": 0.8, "that should be": 0.2, "and": 0.6, ",": 0.4,
}  # fmt: skip
WITH: Weighted = {
    "with": 9, "that has": 1.6, "that have": 0.9, "having": 0.6, "which has": 0.7, "and has": 0.5, "and with": 0.3,
    "featuring": 0.2, "that comes with": 0.4, "and have": 0.3, "it should have": 0.4, "that features": 0.2,
    "that offers": 0.15, "which should have": 0.1, "that contains": 0.1, "including": 0.1, "that come with": 0.1,
    "that includes": 0.1, "that will have": 0.05, "made with": 0.2, "and comes with": 0.15, "plus": 0.05,
}  # fmt: skip
FOR: Weighted = {
    "for": 8, "suitable for": 0.5, "good for": 0.5, "that is for": 0.3, "to use for": 0.2, "ideal for": 0.2,
    "that i can use for": 0.4, "that can be used for": 0.3, "that is good for": 0.3, "that works for": 0.1,
    "that is suitable for": 0.2, "perfect for": 0.2, "which is for": 0.1, "i can use for": 0.2,
    "that will help with": 0.2, "for use in": 0.1, "that is great for": 0.1, "intended for": 0.05, "designed for": 0.15,
    "which can be used for": 0.1, "to help with": 0.1, "best for": 0.05, "made for": 0.1, "effective for": 0.05,
    "that would be good for": 0.05,
}  # fmt: skip
ROOM: Weighted = {
    "for my": 4.8, "for the": 2.4, "for a": 1.4, "suitable for my": 0.3, "for": 2.4, "in my": 0.7, "to put in the": 0.2,
    "that i can put in my": 0.2, "that i can use in my": 0.2, "in the": 0.4, "that would look good in my": 0.1,
    "to go in my": 0.1, "that will go in the": 0.1, "that fits in my": 0.1, "that can be used in the": 0.1,
}  # fmt: skip
OF: Weighted = {
    "made of": 3, "made from": 1, "that is made of": 1.2, "with": 2, "that is": 0.5, "made with": 0.6, "in": 0.3,
    "made out of": 0.8, "and made of": 0.5, "which is made of": 0.4, "of": 0.4, "that are made from": 0.4,
    "that is made from": 0.5, "that has": 0.2,
}  # fmt: skip
FITS: Weighted = {
    "for": 5, "compatible with": 1.4, "for my": 2.4, "that fits": 0.6, "that is compatible with": 0.9, "for an": 0.2,
    "that works with": 0.5, "that will work with my": 0.2, "that can be used with": 0.2, "that will fit my": 0.2,
    "to use with my": 0.2,
}  # fmt: skip
HOLDERS: dict[str, Weighted] = {
    "food": {
        "bag": 2,
        "box": 1.4,
        "package": 1.2,
        "pack": 1.6,
        "jar": 0.5,
        "container": 0.5,
        "bottle": 0.8,
        "can": 0.3,
    },
    "beauty": {"bottle": 3, "jar": 0.6, "tube": 0.5, "pack": 0.5, "container": 0.3, "package": 0.3},
}
"""What goods of a setting come in."""

COLOR_BEFORE: Weighted = {"{v}": 16, "{v} colored": 1.6, "{v} color": 1.8}
COLOR: Weighted = {
    ", {v}": 0.9, "{v}": 0.5, "in {v}": 2.4, "in {v} color": 1.6, "in the color {v}": 1.8, "that is {v}": 0.7,
    "and {v} color": 0.9, "color {v}": 1, "in color {v}": 0.8, "that is {v} in color": 0.5, "with {v} color": 0.7,
    "of {v} color": 1.2, "with color {v}": 0.3, "in the {v} color": 0.8, "that comes in {v}": 0.3,
    "which is {v} in color": 0.3, "having {v} color": 0.3, "in {v} colour": 0.3, "and its color is {v}": 0.2,
    "{v} in color": 0.3, "the color is {v}": 0.2, "that come in {v}": 0.2, "and comes in {v}": 0.2,
    "in a {v} color": 0.9, "in the color of {v}": 0.2, "and in {v}": 0.1, "and the color is {v}": 0.2,
    "the color was {v}": 0.2, "and the color should be {v}": 0.2, "in a {v} finish": 0.15, "with a {v} color": 0.3,
    "that is in {v}": 0.3, "which comes in {v}": 0.2, "which are {v}": 0.2, "and {v}": 0.1, "in {v} style": 0.1,
    "with {v} design": 0.08, "with {v} pattern": 0.06, "of the color {v}": 0.1, "{v} colored": 0.3,
}  # fmt: skip
SIZE_BEFORE: Weighted = {"{v}": 9, "size {v}": 0.8, "{v} sized": 1.6, "{v} size": 0.8}
SIZE: Weighted = {
    ", {v}": 1.6, "{v}": 1.6, "in size {v}": 1.6, "size {v}": 2.4, "in {v}": 2.4, "in a size {v}": 1,
    "that is {v}": 0.6, "of size {v}": 1.8, "that is a size {v}": 1, "in a {v}": 1.3, "that is {v} in size": 0.3,
    "with size {v}": 0.4, "and size {v}": 1.2, "in {v} size": 0.6, "sized {v}": 0.3, "and in a size {v}": 0.3,
    "{v} in size": 0.3, "in the size {v}": 1.1, "of {v} size": 0.7, "and comes in {v}": 0.1, "that comes in {v}": 0.15,
    "in the size of {v}": 0.1, "with a size of {v}": 0.2, "and the size should be {v}": 0.2, "and the size is {v}": 0.2,
    "and {v} in size": 0.2, "which is {v} in size": 0.2, "that come in a size {v}": 0.2, "that is size {v}": 0.4,
    "in a {v} size": 0.5, "that is {v} sized": 0.1, "in a {v} package": 0.06,
}  # fmt: skip
TASTE_BEFORE: Weighted = {"{v}": 8, "{v} flavored": 0.8, "{v} flavor": 1}
TASTE: Weighted = {
    "in {v} flavor": 1.2, "with {v} flavor": 1.4, "in {v}": 0.8, "{v} flavor": 1, "that is {v} flavored": 0.8,
    "in the flavor {v}": 0.4, "that is {v}": 0.8, "of {v} flavor": 0.5, "flavor {v}": 0.3,
}  # fmt: skip
SCENT: Weighted = {
    "in {v} scent": 1.2, "with {v} scent": 1.4, "in {v}": 0.8, "{v} scent": 1, "that is {v} scented": 0.8,
    "with a {v} scent": 1, "scented with {v}": 0.3,
}  # fmt: skip
OTHER: Weighted = {
    ", {v}": 1.0, "that is {v}": 0.8, "in {v}": 0.4, "with {v}": 1.6, "{v}": 2, "and {v}": 0.9, "which is {v}": 0.6,
    "of {v}": 1.2, "that comes in {v}": 0.15, "that come in a {v}": 0.2, "in a {v}": 0.7, "and comes in a {v}": 0.1,
    "with a {v}": 0.3, "in the {v} style": 0.3, "in style {v}": 0.3, "in a {v} style": 0.2, "and come in {v}": 0.1,
}  # fmt: skip

COLOR_LATER: Weighted = {
    "pick the {v} one": 0.8, "choose the {v} one": 0.5, "i want the {v} colored one": 0.5,
    "pick a {v} colored one": 0.5, "also choose the {v} ones": 0.4, "and i choose the {v} one": 0.7,
    "look for them in {v}": 0.4, "and i would prefer it in {v}": 0.3, "i need them in {v}": 0.5,
    "and i will take the {v} one": 0.2, "the color needs to be {v}": 0.4, "find one in {v}": 0.3,
    "also choose {v} colored one": 0.5, "in {v} if possible": 0.1, "it should come in {v}": 0.3,
    "i want one thats {v}": 0.4, "please choose {v} color": 0.4, "also i want it in {v}": 0.3, "choose {v} color": 1,
    "also choose {v} color": 5, "it should be {v} in color": 0.8, "i want the {v} one": 1.8, "pick a {v} one": 2,
    "the color should be {v}": 1.2, "also, choose the {v} color": 1, "i need it in {v}": 1.2, "get the one in {v}": 0.8,
    "choose the ones in {v}": 1, "pick something in {v}": 1.4, "i prefer {v}": 0.7, "and i choose {v} color": 1.6,
    "it should be {v}": 1.4, "and i would prefer the {v} color": 0.6, "please select {v}": 0.5, "also choose {v}": 2,
    "get the {v} one": 1.2, "make sure its {v}": 0.5,
}  # fmt: skip
SIZE_LATER: Weighted = {
    "and i choose the {v} size": 0.5, "also choose {v} size": 2, "the size needs to be {v}": 0.5,
    "i am a size {v}": 0.5, "find one in {v}": 0.3, "get the one in size {v}": 0.3, "it should come in {v}": 0.3,
    "i will need a size {v}": 0.3, "make sure you get the size {v}": 0.1, "pick one in {v}": 0.3,
    "i need them in a size {v}": 0.4, "choose size {v}": 0.8, "also choose size {v}": 4,
    "it should be {v} in size": 0.8, "i wear a size {v}": 1.4, "the size should be {v}": 1.1,
    "also, choose a size {v}": 0.9, "i need it in size {v}": 1.2, "pick a size {v}": 1.2, "i need a size {v}": 1.6,
    "get the size {v}": 1, "make sure it is size {v}": 0.5, "i want a size {v}": 1, "it should be size {v}": 0.8,
    "please choose the {v} size": 0.5, "it needs to be {v}": 0.7, "in {v} please": 0.5,
}  # fmt: skip
OTHER_LATER: Weighted = {
    "and choose the {v}": 0.4, "also, choose {v}": 0.8, "it should come in {v}": 0.3, "get the {v}": 0.5,
    "and i choose the {v}": 0.6, "i would also like it in {v}": 0.2, "pick the {v}": 0.5,
    "they should come in {v}": 0.4, "i prefer the {v}": 0.3, "choose {v}": 0.8, "also choose {v}": 4,
    "it should be {v}": 1, "get the {v} one": 1.6, "i want the {v}": 1.2, "pick the {v} one": 0.8, "i need {v}": 1,
    "also, choose the {v} one": 0.8, "look for {v}": 0.8, "make sure it is {v}": 0.5, "i want {v}": 0.7,
    "i would like {v}": 0.8, "{v} please": 0.4,
}  # fmt: skip
IS_LATER: Weighted = {
    "it should be {v}": 5, "it needs to be {v}": 2, "make sure it is {v}": 1, "it must be {v}": 0.7,
    "also, it should be {v}": 0.8, "make sure its {v}": 0.6, "i want it to be {v}": 0.6, "it has to be {v}": 0.3,
    "i need one that is {v}": 0.5, "look for one thats {v}": 0.7, "i would like it to be {v}": 0.3,
    "and it is {v}": 0.3,
}  # fmt: skip
ARE_LATER: Weighted = {
    "they should be {v}": 5, "they need to be {v}": 2, "make sure theyre {v}": 1, "look for ones that are {v}": 0.6,
    "make sure they are {v}": 0.8, "they must be {v}": 0.5, "i want them to be {v}": 0.5, "it should be {v}": 1,
}  # fmt: skip

HAS_LATER: Weighted = {
    "it should have {v}": 2.4, "it needs to have {v}": 1.4, "it must have {v}": 0.8, "make sure it has {v}": 0.8,
    "i want one with {v}": 0.8, "pick one with {v}": 0.7, "get the one with {v}": 0.6, "it should also have {v}": 0.6,
    "look for one that has {v}": 0.5, "choose the one that has {v}": 0.5, "it should come with {v}": 0.5,
    "it has {v}": 0.3,
}  # fmt: skip
HAVE_LATER: Weighted = {
    "they should have {v}": 4, "they need to have {v}": 1, "pick ones with {v}": 0.8, "get the ones with {v}": 0.7,
    "choose the ones that have {v}": 0.9, "make sure they have {v}": 0.6, "i want them with {v}": 0.3,
    "they must have {v}": 0.3, "look for ones with {v}": 0.4,
}  # fmt: skip
IT: Weighted = {
    "it should be": 4, "it needs to be": 1, "make sure its": 0.6, "it must be": 0.4, "pick one": 0.4, "and is": 0.4,
}  # fmt: skip
THEY: Weighted = {
    "they should be": 4, "they need to be": 1, "pick ones": 0.4, "they must be": 0.3, "make sure theyre": 0.5,
}  # fmt: skip

ENDINGS: Weighted = {
    "": 95, "please": 0.4, "if possible": 0.25, "as well": 0.4, "too": 0.15, "if you can find it": 0.1, "thanks": 0.1,
    "thank you": 0.1, "and i want to buy it": 0.1, "and buy it": 0.1, "need to buy it": 0.1,
    "i will use it at home": 0.1, "this will be a present": 0.1, "one will do": 0.2, "at least for now": 0.1,
    "its for my house": 0.02, "so i can use it every day": 0.1, "my old one broke": 0.1, "that would be great": 0.1,
    "this is for a friend": 0.05, "i think it will look nice": 0.05, "i cannot find one": 0.05, "no rush": 0.03,
    "it was sold out everywhere": 0.05, "thats all": 0.05, "they will love it": 0.05, "while we are at it": 0.03,
}  # fmt: skip

ASIDES: Weighted = {
    "": 92, "for my daughter": 0.5, "for my wife": 0.5, "for my son": 0.5, "for my kitchen": 0.3, "for the gym": 0.1,
    "for my mom": 0.3, "for my husband": 0.1, "for my kids": 0.2, "for my house": 0.1, "for my home": 0.3,
    "for my sister": 0.05, "for men": 0.4, "for women": 0.4, "as a gift": 0.3, "for my trip": 0.1,
    "for a birthday": 0.2, "for a party": 0.2, "for work": 0.2, "for summer": 0.2, "for travel": 0.3,
    "for a friend": 0.1, "for christmas": 0.2, "for my girlfriend": 0.1, "for my dad": 0.1, "please": 0.2,
    "for my apartment": 0.05, "for school": 0.1, "by {brand}": 1, "from {brand}": 1, "made by {brand}": 0.3,
    "of the brand {brand}": 0.2, ", {brand} brand": 0.3,
}  # fmt: skip

STOPS: Weighted = {". ": 12, ", ": 3, " and ": 3, ". also, ": 0.8, ".": 0.3, " - ": 0.2, "; ": 0.2}
