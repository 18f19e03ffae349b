import type { Seeded } from '../seeded';

/** What happens to the bytes that go one way; without a field, nothing of the kind. */
export interface PipeFaults {
  /** after so many bytes the link is cut, both ways */
  readonly cutAt?: number;
  /** after so many bytes nothing passes until the link ends */
  readonly stallAt?: number;
  /** bytes in one piece at most; each piece is sent by itself */
  readonly split?: number;
  /** turns of the event loop that each piece waits */
  readonly delay?: number;
  /** whole text frames that are sent a second time, right behind the first */
  readonly repeat?: (text: string) => boolean;
}

/** What happens to one connection. */
export interface LinkFaults {
  /** from the client to the bridge */
  readonly up: PipeFaults;
  /** from the bridge to the client */
  readonly down: PipeFaults;
  /** a cut is a reset (what is under way is lost), else an orderly end */
  readonly reset: boolean;
}

export const NO_FAULTS: LinkFaults = { up: {}, down: {}, reset: false };

/**
 * Faults for one connection that is cut within its first `most` bytes, at any of them, the
 * handshake's own included; on the way to it bytes may be split, delayed and stalled.
 */
export function faultsWithCut(
  random: Seeded,
  most: number,
  repeat: (text: string) => boolean,
): LinkFaults {
  const pipe = (): PipeFaults => ({
    ...(random.next() < 0.3 && { split: 1 + random.below(200) }),
    ...(random.next() < 0.2 && { delay: 1 + random.below(4) }),
    ...(random.next() < 0.3 && { repeat }),
  });
  // One in ten is cut while the handshake is under way: it takes some 500 bytes each way.
  const cutAt = random.below(random.next() < 0.1 ? 600 : most);
  const stalls = random.next() < 0.01;
  const cut = stalls ? { stallAt: cutAt } : { cutAt };
  const [up, down] = [pipe(), pipe()];
  const reset = random.next() < 0.5;
  // Much more goes down than up.
  if (random.next() < 0.8) return { up, down: { ...down, ...cut }, reset };
  const early = Math.floor(cutAt / 8);
  return { up: { ...up, ...(stalls ? { stallAt: early } : { cutAt: early }) }, down, reset };
}
