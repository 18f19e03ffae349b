import type { ToolPermissionRequest } from '../../src/core/permission/ask';

export const BEFORE = `# Index format

One index for the vault.

Words are folded to lower case.
Numbers stay.
Each word has a posting list.

Each posting has a note number and places.
Postings are sorted by note number and packed in groups of 128.

## On disk
One file, written on every change.
Nothing is kept if the app closes first.
## Limits
40 MB for a vault of 10,000 notes.
`;

export const AFTER = BEFORE.replace(
  'One file, written on every change.\nNothing is kept if the app closes first.\n',
  `One file per 256 notes, written when idle.
A journal holds what is not written yet.

- [[Offline search]] reads the journal first.
- A damaged file is rebuilt from its notes.

`,
);

/** A request for an edit by one of our tools. */
export function makeAsk(
  requestId: string,
  part: Partial<ToolPermissionRequest> = {},
): ToolPermissionRequest {
  const path = 'Projects/Offline search/Index format.md';
  return {
    requestId,
    sessionId: 'ses_1',
    agent: 'build',
    tool: 'obsidian.update_note',
    callId: 'call_0',
    operation: 'update',
    path,
    args: { path, mode: 'replace', content: AFTER, dryRun: false },
    decision: {
      verdict: 'ask',
      rule: { kind: 'rule', number: 3, words: 'write Projects/**, ask' },
      decided: { permission: 'write', pattern: 'Projects/**', action: 'ask' },
      why: 'You are asked. Rule 3 decides: write Projects/**, ask.',
    },
    change: { before: BEFORE, after: AFTER },
    always: {
      permission: 'update',
      patterns: [path, 'Projects/Offline search/*', 'Projects/Offline search/**'],
      whom: ['session', 'agent', 'everyone'],
    },
    replaces: undefined,
    askedAt: 0,
    expiresAt: undefined,
    ...part,
  };
}
