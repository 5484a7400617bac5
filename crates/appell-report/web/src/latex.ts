// LaTeX as MathML, as crates/appell-report/src/mathml.rs writes it: for formulas that wait until they are
// looked at. A test compares the two on every formula of the gallery.

const SPACE = "http://www.w3.org/1998/Math/MathML";

const LETTERS = new Map(
  `alpha α beta β gamma γ delta δ epsilon ϵ zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ
   sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π
   Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω partial ∂ nabla ∇ infty ∞`
    .split(/\s+/)
    .reduce<[string, string][]>((pairs, word, i, all) => (i % 2 === 0 ? [...pairs, [word, all[i + 1]!]] : pairs), []),
);
const SIGNS = new Map(Object.entries({ cdot: "⋅", times: "×", le: "≤", ge: "≥", ne: "≠", in: "∈", to: "→", ldots: "…" }));
const FUNCTIONS = new Set("sin cos tan arcsin arccos arctan sinh cosh tanh exp log ln min max dim det".split(" "));
const ACCENTS = new Map(Object.entries({ dot: "˙", ddot: "¨", bar: "‾", hat: "^", tilde: "~", widetilde: "~" }));
const FONTS = new Set(["mathit", "mathrm", "mathsf", "mathbf", "operatorname"]);
/** Groups nested deeper than this are shown as their LaTeX. */
const DEEPEST = 120;

type Kind = "operand" | "operator" | "function";
interface Item {
  kind: Kind;
  node: Element;
}

function make(name: string, attributes: Record<string, string> = {}, ...children: (Node | string)[]): Element {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const operand = (node: Element): Item => ({ kind: "operand", node });
const operator = (node: Element): Item => ({ kind: "operator", node });
const isSum = (node: Element): boolean => node.localName === "mo" && node.textContent === "∑";

function row(items: Item[]): Element {
  const [only] = items;
  return items.length === 1 && only!.kind === "operand" ? only!.node : make("mrow", {}, ...items.map(({ node }) => node));
}

class Reader {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  private get rest(): string {
    return this.text.slice(this.at, this.at + 64);
  }

  private starts(word: string): boolean {
    return this.text.startsWith(word, this.at);
  }

  private eat(word: string): boolean {
    const there = this.starts(word);
    if (there) this.at += word.length;
    return there;
  }

  private blanks(): void {
    while (/\s/.test(this.text[this.at] ?? "")) this.at += 1;
  }

  /** Items up to one of these words, or to the end. */
  row(until: string[]): Item[] {
    const items: Item[] = [];
    for (;;) {
      this.blanks();
      if (this.at >= this.text.length || until.some((end) => this.starts(end))) return items;
      if (this.starts("}")) {
        if (until.length > 0) return items;
        this.at += 1;
      } else if (/[\^_']/.test(this.text[this.at]!)) {
        items.push(this.scripts(items.pop() ?? operand(make("mrow"))));
      } else {
        const signed = items.length === 0 || items[items.length - 1]!.kind === "operator";
        const item = this.item(signed);
        if (items[items.length - 1]?.kind === "function") items.push(...application(item));
        if (item) items.push(item);
      }
    }
  }

  private item(signed: boolean): Item | null {
    const c = String.fromCodePoint(this.text.codePointAt(this.at)!);
    if (c === "\\") return this.command();
    if (c === "{") return operand(this.group());
    if (/\d/.test(c)) {
      const start = this.at;
      while (/[\d.]/.test(this.text[this.at] ?? "")) this.at += 1;
      return operand(make("mn", {}, this.text.slice(start, this.at)));
    }
    this.at += c.length;
    if (c === "-") return operator(make("mo", signed ? { form: "prefix" } : {}, "−"));
    if ("+=</>([,;*:".includes(c)) return operator(make("mo", c === "(" || c === "[" ? { stretchy: "false" } : {}, c));
    if (")]|".includes(c)) return operand(make("mo", { stretchy: "false" }, c));
    if (c === "&" || c === "~") return operator(make("mspace", { width: "0.3em" }));
    return operand(make("mi", {}, c));
  }

  private command(): Item | null {
    this.at += 1;
    const name = /^[A-Za-z]*/.exec(this.rest)![0];
    this.at += name.length;
    if (name === "") {
      if (this.at >= this.text.length) return null;
      const c = String.fromCodePoint(this.text.codePointAt(this.at)!);
      this.at += c.length;
      if (c === ",") return operand(make("mspace", { width: "0.16em" }));
      if (" ;:!".includes(c)) return operator(make("mspace", { width: "0.3em" }));
      if (c === "\\") return operator(make("mspace", { linebreak: "newline" }));
      return operand(make("mi", {}, c));
    }
    const letter = LETTERS.get(name);
    if (letter) return operand(make("mi", {}, letter));
    const sign = SIGNS.get(name);
    if (sign) return operator(make("mo", {}, sign));
    if (FUNCTIONS.has(name)) return { kind: "function", node: make("mi", {}, name) };
    const accent = ACCENTS.get(name);
    if (accent) return operand(make("mover", { accent: "true" }, this.argument(), make("mo", { stretchy: "false" }, accent)));
    if (FONTS.has(name)) {
      const word = this.words();
      if (name === "operatorname") return { kind: "function", node: make("mi", {}, word) };
      return operand(make("mi", name === "mathsf" ? { mathvariant: "normal" } : {}, word));
    }
    switch (name) {
      case "frac":
        return operand(make("mfrac", {}, this.argument(), this.argument()));
      case "sqrt":
        return operand(make("msqrt", {}, this.argument()));
      case "left":
        return operand(this.fenced());
      case "right":
        this.delimiter();
        return null;
      case "bigl":
      case "bigr":
      case "big": {
        const node = make("mo", { stretchy: "false" }, this.delimiter());
        return name === "bigl" ? operator(node) : operand(node);
      }
      case "sum":
        return operator(make("mo", {}, "∑"));
      case "quad":
        return operator(make("mspace", { width: "1em" }));
      case "text": {
        const words = this.words();
        const [before, after] = [words.startsWith(" ") ? "\u00a0" : "", words.endsWith(" ") ? "\u00a0" : ""];
        return operand(make("mtext", {}, before + words.trim() + after));
      }
      case "begin":
        return operand(this.environment());
      default:
        return operand(make("mi", {}, name));
    }
  }

  private fenced(): Element {
    const open = this.delimiter();
    const inner = this.nested(() => row(this.row(["\\right"])));
    const close = this.eat("\\right") ? this.delimiter() : "";
    const sign = (text: string) => (text === "" ? [] : [make("mo", {}, text)]);
    const tall = open === "(" && close === ")" && (["mfrac", "mtable"].includes(inner.localName) || inner.querySelector("mfrac, mtable") !== null);
    return make("mrow", tall ? { class: "tall" } : {}, ...sign(open), inner, ...sign(close));
  }

  private delimiter(): string {
    this.blanks();
    const c = this.text[this.at] ?? "";
    this.at += 1;
    if (c === ".") return "";
    if (c !== "\\") return c;
    this.at += 1;
    return this.text[this.at - 1] ?? "";
  }

  private environment(): Element {
    const name = this.words();
    if (name === "array") this.words();
    const rows: Element[][] = [[]];
    for (;;) {
      rows[rows.length - 1]!.push(this.nested(() => row(this.row(["&", "\\\\", "\\end{"]))));
      if (this.eat("&")) continue;
      if (this.eat("\\\\")) rows.push([]);
      else if (this.eat("\\end")) {
        this.words();
        break;
      } else if (this.at >= this.text.length) break;
      else this.at += 1;
    }
    const aligned = name.startsWith("align");
    const lines = rows.map((cells) => make("mtr", {}, ...cells.map((cell) => make("mtd", {}, cell))));
    const table = make("mtable", aligned ? { class: "aligned", displaystyle: "true", columnalign: "right left" } : {}, ...lines);
    return name === "pmatrix" ? make("mrow", { class: "tall" }, make("mo", {}, "("), table, make("mo", {}, ")")) : table;
  }

  private scripts(base: Item): Item {
    let [below, above, primes]: [Element | null, Element | null, number] = [null, null, 0];
    for (;;) {
      if (this.eat("'")) primes += 1;
      else if (this.eat("_")) below = this.argument();
      else if (this.eat("^")) above = this.argument();
      else break;
    }
    const marks = primes === 0 ? null : make("mo", { class: "prime" }, primes === 2 ? "″" : "′".repeat(primes));
    const upper = marks && above ? make("mrow", {}, marks, above) : (marks ?? above);
    const own = base.node;
    const sum = isSum(own);
    let node = own;
    if (below && upper) node = make(sum ? "munderover" : "msubsup", {}, own, below, upper);
    else if (below) node = make(sum ? "munder" : "msub", {}, own, below);
    else if (upper) node = make("msup", {}, own, upper);
    return { kind: base.kind === "function" || sum ? base.kind : "operand", node };
  }

  private argument(): Element {
    this.blanks();
    if (this.starts("{")) return this.group();
    return (this.at < this.text.length ? this.item(true)?.node : null) ?? make("mrow");
  }

  private group(): Element {
    if (this.depth >= DEEPEST) return make("mtext", {}, this.words());
    this.at += 1;
    const inner = this.nested(() => row(this.row(["}"])));
    this.at += 1;
    return inner;
  }

  private nested(read: () => Element): Element {
    this.depth += 1;
    const inner = read();
    this.depth -= 1;
    return inner;
  }

  /** The text of `{ .. }`, its escapes undone. */
  private words(): string {
    this.blanks();
    if (!this.eat("{")) return "";
    let [open, words] = [0, ""];
    for (; this.at < this.text.length; this.at++) {
      const c = this.text[this.at]!;
      if (c === "\\") {
        this.at += 1;
        const next = this.text[this.at] ?? "";
        words += /[A-Za-z]/.test(next) ? `\\${next}` : next;
      } else if (c === "}" && open === 0) break;
      else if (c === "{") open += 1;
      else if (c === "}") open -= 1;
      else if (c !== "$") words += c;
    }
    this.at += 1;
    return words.replaceAll("\\textbackslash", "\\").replaceAll("\\textasciitilde", "~").replaceAll("\\textasciicircum", "^");
  }
}

/** Between the name of a function and its argument: nothing to see before a bracket. */
function application(argument: Item | null): Item[] {
  const bracketed = argument?.kind === "operand" && argument.node.localName === "mrow" && [argument.node, ...argument.node.querySelectorAll("*")].some((node) => node.localName === "mo" && node.attributes.length === 0 && node.textContent === "(" && node !== argument.node);
  const signs = [operand(make("mo", {}, "\u2061"))];
  return bracketed ? signs : [...signs, operand(make("mspace", { width: "0.16em" }))];
}

/** A formula in lines of its own, with its LaTeX. */
export function display(latex: string): Element {
  const annotation = make("annotation", { encoding: "application/x-tex" }, latex.trim());
  return make("math", { display: "block" }, make("semantics", {}, row(new Reader(latex).row([])), annotation));
}
