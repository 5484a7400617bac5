// A model that would like to do harm: markup, a script's end, long names, marks that turn the text.

// The longest names that a model may have.
const LONG = "q" + "a".repeat(99);
const BAD = `</script></title></style><script>window.harmed=1</script><img src=x onerror="window.harmed=2">`;
const TURNED = "\u202egnihton\u202c \u2066x\u2069 \u200f";

export const HOSTILE = `
title = '''${BAD} ${TURNED}'''
source = '''${BAD}'''
about = '''${BAD} ${"word".repeat(2_500)}'''
coordinates = ["${LONG}", "y"]
[parameters]
m = { value = 1.0, unit = '''${BAD}''', about = '''${TURNED}${BAD}''' }
[particles]
${"P".repeat(100)} = { mass = "m", position = "[${LONG}, y, 0]" }
[constraints]
${"c".repeat(100)} = "${LONG}' - y = 0"
[initial]
state = ["${LONG} = 0", "y = 1", "y' = 1"]
[simulate]
until = 1
[claims]
evil = { constant = "E", cite = '''${BAD}''', about = '''${TURNED}''' }
[[plots]]
title = '''${BAD}${TURNED}'''
x = "t"
y = ["${LONG}", "y"]
[animation]
trail = ["[${LONG}, y, 0]"]
`;
