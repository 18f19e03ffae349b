import { hostilePart } from './hostile-parts';
import type { SeededRandom } from './seeded';

/** A board whose second task is edited; each `$` marks a position for a hostile part. */
const BOARD = `$---
board: 1$
session: $s1
agent: build$
title: $Hostile
prefix: k3f9$
next: $4
rev: $7
$extra$: $value
---
$
# $Hostile
$
## $Phase$
- [ ] $First$ [owner:: $me] [$field:: $x] 🆔 k3f9-1$ ⛔ $k3f9-3 📅 $2026-11-28$ ^k3f9-1$
\t$text under it$
- [ ] Target of the edit 🆔 k3f9-2 ^k3f9-2
- [$x] $Third$ 🆔 k3f9-3 ✅ $2026-11-20 ^k3f9-3
\t- [ ] $subtask$
$
%% $comment$ %%
\`\`\`$
- [ ] $in a fence
\`\`\`
$`;

const POSITION_COUNT = BOARD.split('$').length - 1;

export interface HostileDocument {
  readonly bytes: Uint8Array;
  /** position of the first hostile part */
  readonly kind: 'header' | 'heading' | 'task' | 'rest' | 'bytes';
}

/** The board with one to three hostile parts, other line ends, or bytes that are not UTF-8. */
export function hostileDocument(random: SeededRandom): HostileDocument {
  const first = random.below(POSITION_COUNT);
  const chosen = new Set([first]);
  while (random.next() < 0.3) chosen.add(random.below(POSITION_COUNT));
  const [head = '', ...pieces] = BOARD.split('$');
  const filled = pieces.map((piece, at) => (chosen.has(at) ? hostilePart(random) : '') + piece);
  const ends = random.pick(['\n', '\n', '\n', '\r\n', '\r']);
  const text = `${head}${filled.join('')}`.replaceAll('\n', ends);
  const bytes = new TextEncoder().encode(random.next() < 0.05 ? `\ufeff${text}` : text);
  if (random.next() < 0.05) {
    bytes[random.below(bytes.length)] = random.pick([0xff, 0xc0, 0x80, 0xf5, 0x00]);
    return { bytes, kind: 'bytes' };
  }
  const kind = first < 12 ? 'header' : first < 17 ? 'heading' : first < 36 ? 'task' : 'rest';
  return { bytes, kind };
}
