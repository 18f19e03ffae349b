import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Programs } from '../../soak/goal/programs';
import { RunVault } from '../../soak/goal/run-vault';
import { WALL_SCRIPT } from '../../soak/goal/wall-goal';

/** None of them is started. */
const PROGRAMS: Programs = {
  ...{ opencode: '', bridge: import.meta.filename },
  cli: () => {
    throw new Error('Nothing is carried out here.');
  },
};

test('a vault in which a run lost something stays, with what happened there; any other goes', async () => {
  const lost = await RunVault.open(PROGRAMS, WALL_SCRIPT);
  const other = await RunVault.open(PROGRAMS, WALL_SCRIPT);
  lost.eventLog.add('lost', 'Top took 2 attempts.');
  const kept = lost.keep();
  await Promise.all([lost.close(), other.close()]);
  expect(existsSync(other.base)).toBe(false);
  expect(existsSync(join(kept, 'vault/.opencode/plugin'))).toBe(true);
  expect(readFileSync(join(kept, 'story.log'), 'utf8')).toMatch(/Z lost: Top took 2 attempts\.\n$/);
  rmSync(kept, { recursive: true });
});
