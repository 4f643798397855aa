"""The joints of an instruction, each with its weight: how people start, add, choose and say what it is for."""

from __future__ import annotations

Weighted = dict[str, float]

OPENERS: Weighted = {
    "i am looking for": 267, "im looking for": 150, "i need": 128, "i want": 95, "i would like": 108,
    "i want to find": 31, "i want to buy": 18, "i am interested in": 15, "find me": 11, "i need to buy": 9,
    "i would like to buy": 10, "looking for": 10, "get me": 7, "i want to get": 5, "i would like to get": 5,
    "i am interested in buying": 5, "buy me": 4, "i am looking": 4, "id like to find": 4, "find": 4,
    "can you find me": 4, "im interested in": 4, "look for": 3, "id like to buy": 3, "i am searching for": 4,
    "i looking": 2, "i am looking to buy": 2, "show me": 2, "help me find": 2, "buy": 3, "i’m looking for": 2,
    "can i get": 1, "im looking to buy": 1, "i need to find": 1, "i am in need of": 2, "im trying to find": 2,
    "get": 2, "shop for": 1, "id like": 2, "need": 1, "i need to order": 1, "i want buy": 1, "please help me find": 1,
    "i am looking to purchase": 1, "im searching for": 1, "please find": 1, "let me get": 1, "i need to get": 1,
    "i want to purchase": 2, "order me": 1, "i need you to find": 1, "i am shopping for": 1, "search for": 1,
    "i would prefer": 1, "i must have": 1, "i wish to buy": 1, "i really need": 1, "i could use": 1,
    "i hope to find": 1, "i wanna buy": 1, "i wanted to get": 1, "i have been looking for": 1, "i require": 1,
    "i am after": 1, "i like": 0.6, "i just need": 1, "i also need": 0.7, "i still need": 0.5, "i prefer": 0.6,
    "i plan to buy": 0.6, "i seek": 0.5, "i will take": 0.4, "i gotta have": 0.3, "im after": 1, "im shopping for": 1,
    "im hoping to find": 1, "im in the market for": 1, "im wanting": 0.5, "im buying": 0.5, "im trying to buy": 0.6,
    "ive been looking for": 1, "id love": 0.8, "id prefer": 0.6, "id be interested in": 0.6, "ill need": 0.5,
    "ill take": 0.4, "we need": 1, "we are looking for": 1, "we want": 0.6, "we would like": 0.6,
    "were looking for": 0.5, "my wife wants": 0.7, "my husband needs": 0.7, "my son needs": 0.7,
    "my daughter wants": 0.7, "my mom needs": 0.6, "my friend wants": 0.5, "my sister would like": 0.5,
    "could you find": 1, "could you get me": 0.7, "could i get": 0.6, "can you get me": 0.6, "can you show me": 0.6,
    "can we get": 0.4, "would you find me": 0.6, "will you find": 0.4, "do you have": 1, "do you sell": 0.6,
    "where can i find": 0.8, "where do i find": 0.4, "please get me": 0.7, "please look for": 0.7,
    "please show me": 0.7, "please order": 0.5, "please search for": 0.6, "please buy": 0.4, "please add": 0.4,
    "pls find": 0.3, "help me to find": 0.5, "help find": 0.5, "give me": 0.8, "get us": 0.3, "show us": 0.3,
    "pick out": 0.6, "pick": 0.6, "choose": 0.6, "select": 0.5, "order": 0.6, "purchase": 0.5, "locate": 0.5,
    "looking to buy": 0.8, "looking to get": 0.5, "searching for": 0.8, "shopping for": 0.6, "in need of": 0.7,
    "in search of": 0.6, "want": 0.8, "want to buy": 0.7, "wanting": 0.3, "trying to find": 0.6, "hoping to get": 0.4,
    "interested in": 0.6, "need to buy": 0.6, "need to find": 0.5, "would like": 0.6, "add": 0.3, "send me": 0.4,
    "hi i need": 0.4, "hello im looking for": 0.4, "hey find me": 0.3, "ok find me": 0.3, "lets find": 0.4,
    "lets get": 0.3, "let us find": 0.3, "let me see": 0.3, "time to buy": 0.3, "go find": 0.3, "go get": 0.3,
}  # fmt: skip

THAT = {
    "that is": 8,
    "that are": 0,
    "thats": 1.6,
    "which is": 2,
    "and is": 1,
    "it should be": 0.8,
    "that should be": 0.3,
}
THAT_MANY = {"that are": 7, "which are": 1, "that is": 2, "and are": 1, "that should be": 0.3}
WITH = {"with": 12, "that has": 1.6, "that have": 0.6, "having": 0.8, "which has": 0.7, "and has": 0.6, "and with": 0.4}
FOR = {"for": 9, "suitable for": 0.5, "good for": 0.4, "that is for": 0.4, "to use for": 0.2, "ideal for": 0.2}
ROOM = {
    "for my": 5,
    "for the": 2,
    "for a": 2,
    "suitable for my": 0.4,
    "for": 3,
    "in my": 0.7,
    "that i can put in my": 0.2,
}
OF = {"made of": 4, "made from": 2, "that is made of": 1.4, "with": 2, "that is": 0.7, "made with": 0.8}
FITS = {
    "for": 5,
    "compatible with": 2,
    "for my": 2,
    "that fits": 1,
    "that is compatible with": 1.4,
    "that works with": 0.8,
}

COLOR_BEFORE: Weighted = {"{v}": 12, "{v} colored": 3, "{v} color": 3}
COLOR: Weighted = {
    "in {v}": 6, "in {v} color": 4, "in the color {v}": 1, "that is {v}": 2, "and {v} color": 1.2, "color {v}": 1,
    "in color {v}": 0.8, "that is {v} in color": 0.7, "with {v} color": 0.7, "of {v} color": 0.8, "with color {v}": 0.3,
    "in the {v} color": 0.4, "that comes in {v}": 0.6, "which is {v} in color": 0.3, "having {v} color": 0.3,
    "in {v} colour": 0.3, "and its color is {v}": 0.2, "{v} in color": 0.3, "the color is {v}": 0.2,
}  # fmt: skip
SIZE_BEFORE: Weighted = {"{v}": 5, "size {v}": 1.6, "{v} sized": 1.2, "{v} size": 1.2}
SIZE: Weighted = {
    "in size {v}": 4, "size {v}": 4, "in {v}": 3, "in a size {v}": 1.4, "that is {v}": 2, "of size {v}": 1.4,
    "that is a size {v}": 1, "in a {v}": 1, "that is {v} in size": 0.7, "with size {v}": 0.4, "and size {v}": 0.5,
    "in {v} size": 1, "sized {v}": 0.3, "and in a size {v}": 0.3, "{v} in size": 0.3,
}  # fmt: skip
TASTE_BEFORE: Weighted = {"{v}": 8, "{v} flavored": 1.5, "{v} flavor": 1}
TASTE: Weighted = {
    "in {v} flavor": 2, "with {v} flavor": 1.4, "in {v}": 1.6, "{v} flavor": 1, "that is {v} flavored": 0.8,
    "in the flavor {v}": 0.4, "that is {v}": 0.8, "of {v} flavor": 0.5, "flavor {v}": 0.3,
}  # fmt: skip
SCENT: Weighted = {
    "in {v} scent": 2, "with {v} scent": 1.4, "in {v}": 1.6, "{v} scent": 1, "that is {v} scented": 0.8,
    "with a {v} scent": 1, "scented with {v}": 0.3,
}  # fmt: skip
OTHER: Weighted = {
    "that is {v}": 3, "in {v}": 2, "with {v}": 1.6, "{v}": 2, "and {v}": 0.8, "which is {v}": 0.6, "of {v}": 0.8,
    "that comes in {v}": 0.5,
}  # fmt: skip

COLOR_LATER: Weighted = {
    "choose {v} color": 1, "also choose {v} color": 2, "it should be {v} in color": 1.6, "i want the {v} one": 1,
    "pick a {v} one": 1, "the color should be {v}": 2, "also, choose the {v} color": 1, "i need it in {v}": 1.2,
    "get the one in {v}": 0.8, "choose the ones in {v}": 1, "pick something in {v}": 1.4, "i prefer {v}": 0.7,
    "and i choose {v} color": 1.6, "it should be {v}": 1.4, "and i would prefer the {v} color": 0.6,
    "please select {v}": 0.5, "also choose {v}": 0.9, "get the {v} one": 0.6, "make sure its {v}": 0.5,
}  # fmt: skip
SIZE_LATER: Weighted = {
    "choose size {v}": 0.8, "also choose size {v}": 2, "it should be {v} in size": 1.4, "i wear a size {v}": 1.4,
    "the size should be {v}": 2, "also, choose a size {v}": 0.9, "i need it in size {v}": 1.2, "pick a size {v}": 1.2,
    "i need a size {v}": 1.6, "get the size {v}": 1, "make sure it is size {v}": 0.5, "i want a size {v}": 1,
    "it should be size {v}": 0.8, "please choose the {v} size": 0.5, "it needs to be {v}": 0.7, "in {v} please": 0.5,
}  # fmt: skip
OTHER_LATER: Weighted = {
    "choose {v}": 0.8, "also choose {v}": 1.4, "it should be {v}": 2, "get the {v} one": 0.8, "i want the {v}": 1.2,
    "pick the {v} one": 0.8, "i need {v}": 1, "also, choose the {v} one": 0.8, "look for {v}": 0.8,
    "make sure it is {v}": 0.5, "i want {v}": 0.7, "i would like {v}": 0.8, "{v} please": 0.4,
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

ASIDES: Weighted = {
    "": 92, "for my daughter": 0.5, "for my wife": 0.3, "for my son": 0.3, "for my kitchen": 0.3, "for my mom": 0.3,
    "for my husband": 0.2, "for my kids": 0.2, "for my house": 0.3, "for my home": 0.4, "for my sister": 0.2,
    "for men": 0.4, "for women": 0.4, "as a gift": 0.3, "for daily use": 0.4, "for my trip": 0.1, "for a birthday": 0.2,
    "for a party": 0.2, "for work": 0.2, "for summer": 0.2, "for travel": 0.3, "for a friend": 0.1,
    "for christmas": 0.2,
    "for my girlfriend": 0.1, "for my dad": 0.1, "please": 0.8, "for my apartment": 0.2, "for school": 0.1,
    "by {brand}": 2, "from {brand}": 1, "made by {brand}": 0.4, "of the brand {brand}": 0.2,
}  # fmt: skip

STOPS: Weighted = {". ": 12, ", ": 3, " and ": 3, ". also, ": 0.8, ".": 0.3, " - ": 0.2, "; ": 0.2}
