/** The suite's measure: Shannon entropy of the characters, times their number, in bits. */
export function shannonBits(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let perCharacter = 0;
  for (const count of counts.values()) {
    const share = count / text.length;
    perCharacter -= share * Math.log2(share);
  }
  return perCharacter * text.length;
}

/** RFC 6749 §10.10 as the suite judges it: 128 bits of length, and more than 96 of measured entropy. */
export function entropyFaults(what: string, value: string): string[] {
  const faults: string[] = [];
  if (value.length * 8 < 128) faults.push(`${what} is shorter than 16 bytes`);
  if (shannonBits(value) <= 96)
    faults.push(`${what} has too little entropy: ${shannonBits(value).toFixed(1)} bits`);
  return faults;
}
