"""What products go with: the devices that the versions of a family may or may not fit. No name holds another one."""

_PHONES = (
    "iphone 11, iphone 12 mini, iphone 13 pro, iphone se, iphone xr, galaxy s20, galaxy s21 ultra, galaxy a52, "
    "galaxy note 10, pixel 5a, pixel 6 pro, moto g power"
)
_TABLETS = "ipad 9.7, ipad air 4, ipad mini 5, ipad pro 11, galaxy tab a7, fire hd 8, fire hd 10, surface go 2"
_WATCHES = "apple watch 38mm, apple watch 40mm, apple watch 42mm, galaxy watch 46mm, galaxy active 2, fitbit versa 3"
_LAPTOPS = "macbook air 13, macbook pro 16, dell xps 15, hp envy 14, thinkpad x1, surface laptop 4, chromebook 11"
_SETS = "lg oled tvs, samsung qled tvs, sony bravia tvs, roku boxes, blu ray players, fire stick, vizio soundbars"
_CAMERAS = "canon eos m50, nikon z6, sony a7 iii, gopro hero 9, fujifilm x100, panasonic lumix g7, olympus pen"
_PORTS = "windows 10, macos, linux, ps5, xbox series x, nintendo switch, chrome os, android phones"

FITS = {
    "phone cases": _PHONES,
    "screen protectors": _PHONES,
    "wireless chargers": _PHONES,
    "power banks": _PHONES,
    "usb c charging cable": _PHONES,
    "smartwatch bands": _WATCHES,
    "tablet cases": _TABLETS,
    "laptop stand": _LAPTOPS,
    "usb hub": _LAPTOPS,
    "universal remote": _SETS,
    "sound bars": _SETS,
    "camera tripod": _CAMERAS,
    "usb microphone": _PORTS,
    "wireless mouse": _PORTS,
    "mechanical keyboard": _PORTS,
    "external ssd": _PORTS,
}
"""Kind to devices."""
