import type { SeededRandom } from '../seeded';

/** Faults in the bytes of one direction; an absent field means no such fault. */
export interface PipeFaults {
  /** bytes after which the connection is cut, in both directions */
  readonly cutAt?: number;
  /** bytes after which nothing passes until the connection ends */
  readonly stallAt?: number;
  /** largest piece in bytes; each piece is sent separately */
  readonly split?: number;
  /** turns of the event loop by which each piece is delayed */
  readonly delay?: number;
  /** text frames to send a second time, right after the first */
  readonly repeat?: (text: string) => boolean;
}

/** Faults of one connection. */
export interface LinkFaults {
  /** from the client to the bridge */
  readonly up: PipeFaults;
  /** from the bridge to the client */
  readonly down: PipeFaults;
  /** true: a cut is a reset, and bytes in flight are lost; false: an orderly close */
  readonly reset: boolean;
}

export const NO_FAULTS: LinkFaults = { up: {}, down: {}, reset: false };

/**
 * Faults for one connection that is cut at a random byte among its first `most`, the handshake
 * included; before that, bytes may be split, delayed and stalled.
 */
export function faultsWithCut(
  random: SeededRandom,
  most: number,
  repeat: (text: string) => boolean,
): LinkFaults {
  const pipe = (): PipeFaults => ({
    ...(random.next() < 0.3 && { split: 1 + random.below(200) }),
    ...(random.next() < 0.2 && { delay: 1 + random.below(4) }),
    ...(random.next() < 0.3 && { repeat }),
  });
  // One in ten is cut during the handshake, which takes some 500 bytes each way.
  const cutAt = random.below(random.next() < 0.1 ? 600 : most);
  const stalls = random.next() < 0.01;
  const cut = stalls ? { stallAt: cutAt } : { cutAt };
  const [up, down] = [pipe(), pipe()];
  const reset = random.next() < 0.5;
  // Most of the traffic goes down.
  if (random.next() < 0.8) return { up, down: { ...down, ...cut }, reset };
  const early = Math.floor(cutAt / 8);
  return { up: { ...up, ...(stalls ? { stallAt: early } : { cutAt: early }) }, down, reset };
}
