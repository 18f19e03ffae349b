import { expect, test } from 'vitest';
import { READ_ONLY_RULES } from '../../src/bridge/opencode/session-starts';

test('[BRIDGE28] what a session that may only read is denied is what the text on runs says, and nothing else', () => {
  expect(READ_ONLY_RULES).toEqual([
    { permission: 'edit', pattern: '*', action: 'deny' },
    { permission: 'obsidian_create_note', pattern: '*', action: 'deny' },
    { permission: 'obsidian_update_note', pattern: '*', action: 'deny' },
  ]);
});
