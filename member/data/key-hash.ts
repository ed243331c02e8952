/** A 32-bit hash of a map key. */
export type KeyHash = (key: string) => number;

const finalRounds = 3;

/**
 * HalfSipHash-1-3 over the UTF-16 code units of a key: who does not know the seed cannot choose keys that
 * collide, which would make every look-up walk past all of them.
 *
 * @param seed  8 random bytes that never leave the process
 */
export function createKeyHash(seed: Buffer): KeyHash {
  const seed0 = seed.readInt32LE(0);
  const seed1 = seed.readInt32LE(4);

  return function hashOf(key) {
    const units = key.length;
    const words = units >> 1;
    const lastWord = (units << 25) | (units & 1 ? key.charCodeAt(units - 1) : 0) | 0; // twice as many bytes as units
    let v0 = seed0;
    let v1 = seed1;
    let v2 = seed0 ^ 0x6c796765;
    let v3 = seed1 ^ 0x74656462;
    for (let round = 0; round <= words + finalRounds; round += 1) {
      let word = 0;
      if (round < words) word = key.charCodeAt(2 * round) | (key.charCodeAt(2 * round + 1) << 16);
      else if (round === words) word = lastWord;
      else if (round === words + 1) v2 ^= 0xff;
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    return (v1 ^ v3) >>> 0;
  };
}
