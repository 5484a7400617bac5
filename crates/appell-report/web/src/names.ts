// Names and numbers of a model as they are read: Greek letters as Greek, digits behind names as indices, powers of ten above the line.

import { shown } from "./dom";

const GREEK = new Map(
  "alpha α beta β gamma γ delta δ epsilon ϵ eps ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ rho ρ sigma σ tau τ upsilon υ phi ϕ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω"
    .split(" ")
    .reduce<[string, string][]>((pairs, word, i, all) => (i % 2 === 0 ? [...pairs, [word, all[i + 1]!]] : pairs), []),
);
const BELOW = "₀₁₂₃₄₅₆₇₈₉";
const ABOVE = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A formula of the model for the eye. Words that are no Greek letters stay as they are. */
export function readable(text: string): string {
  return text.replace(/[A-Za-z]+\d*(?![A-Za-z_])/g, (name, at: number) => {
    if (/[A-Za-z_]/.test(text[at - 1] ?? "")) return name;
    const [, letters, digits] = /^([A-Za-z]+)(\d*)$/.exec(name)!;
    const greek = GREEK.get(letters!);
    if (greek === undefined && letters!.length > 1) return name;
    return (greek ?? letters!) + [...digits!].map((digit) => BELOW[Number(digit)]).join("");
  });
}

/** A unit for the eye: `m/s^2` with its powers above. */
export function unitOf(text: string): string {
  return text.replace(/\^\(?(-?)(\d+)\)?/g, (_, sign: string, digits: string) => (sign ? "⁻" : "") + [...digits].map((digit) => ABOVE[Number(digit)]).join("")).replaceAll("*", "·");
}

/** A power of ten. */
export function power(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((digit) => ABOVE[Number(digit)]).join("");
  return exponent === 0 ? "1" : exponent === 1 ? "10" : `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

/** A number for the eye, its power of ten above the line. */
export function figures(x: number | null | undefined, digits = 7): string {
  return shown(x, digits).replace(/(\d)e(−?)(\d+)$/, (_, before: string, sign: string, digits: string) => `${before}·${power(Number(`${sign ? "-" : ""}${digits}`))}`);
}
