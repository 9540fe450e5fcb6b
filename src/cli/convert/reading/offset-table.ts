const FEWEST_SLOTS = 1 << 12;
const FULL = 0.6;

/**
 * Where in a file things with a key stand: twelve bytes a slot instead of the things themselves, so that ten million
 * passwords cost a few hundred megabytes and not gigabytes. Two keys may share a fingerprint: whoever looks a key up
 * reads what stands there and compares.
 */
export class OffsetTable {
  private fingerprints = new Uint32Array(FEWEST_SLOTS);
  /** Offset plus one; 0 is an empty slot. */
  private offsets = new Float64Array(FEWEST_SLOTS);
  private used = 0;

  add(key: string, offset: number): void {
    if (this.used + 1 > this.offsets.length * FULL) this.grow();
    this.place(fingerprintOf(key), offset + 1);
    this.used += 1;
  }

  /** Offsets of everything that may have that key. */
  *candidates(key: string): Generator<number> {
    const mask = this.offsets.length - 1;
    const fingerprint = fingerprintOf(key);
    for (let slot = fingerprint & mask; this.offsets[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.fingerprints[slot] === fingerprint) yield (this.offsets[slot] ?? 0) - 1;
    }
  }

  private place(fingerprint: number, offset: number): void {
    const mask = this.offsets.length - 1;
    let slot = fingerprint & mask;
    while (this.offsets[slot] !== 0) slot = (slot + 1) & mask;
    this.fingerprints[slot] = fingerprint;
    this.offsets[slot] = offset;
  }

  private grow(): void {
    const { fingerprints, offsets } = this;
    this.fingerprints = new Uint32Array(offsets.length * 2);
    this.offsets = new Float64Array(offsets.length * 2);
    for (const [slot, offset] of offsets.entries()) {
      if (offset !== 0) this.place(fingerprints[slot] ?? 0, offset);
    }
  }
}

/** FNV-1a over UTF-16 units, with a last mix so that the low bits, which choose the slot, depend on all of them. */
function fingerprintOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
