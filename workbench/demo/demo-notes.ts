import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A note that shows plans in code blocks. */
export const NOTE_WITH_PLANS = 'This week.md';

/** A base that shows a note per task as a board. */
export const BASE_OF_TASKS = 'Readers/Tasks.base';

/** Notes of a typical vault, for the file explorer of a throw-away vault. */
const NOTES: Readonly<Record<string, string>> = {
  'Start here.md': `# Start here

Agents plan in this vault. Their boards stand in the hidden folder \`.opencode/todos\` and in the task sidebar on the right.

- Tick a task in the sidebar: the agent is told.
- Double-click a task: its plan opens as a note, a plain checklist.
`,
  [NOTE_WITH_PLANS]: `Where the plans stand:

\`\`\`agent-board
view: progress
\`\`\`

What can be started:

\`\`\`agent-board
filter: ready
\`\`\`
`,
  'Inbox.md': '# Inbox\n\n- Ask whether search should cover attachments\n',
  'Reading list.md':
    '# Reading list\n\n- Managing Gigabytes\n- Introduction to Information Retrieval\n',
  'Journal/2026-11-20.md': '# Friday\n\nThe tokeniser question is settled. See [[Index format]].\n',
  'People/Readers.md':
    '# Readers\n\nWho tries the beta: three with large vaults, one on a phone.\n',
  'Projects/Offline search/Index format.md': `---
tags: [search]
---

# Index format

Postings are sorted by note and packed in blocks of 128. A posting is one note in which a word occurs, see [[Glossary]].

## On disk

One file, written on every change.
Nothing is kept if the app closes first.

## Words

Split at white space and signs.

## Limits

40 MB for a vault of 10,000 notes.
`,
  'Projects/Offline search/Interview notes.md':
    '# Interview notes\n\nPeople search by a word of the title first. Recent notes count more.\n',
  'Projects/Offline search/Ranking ideas.md': `# Ranking ideas

See [[Interview notes]]: what people look for is mostly in the title.

## Fields

1. Title and headings
2. Tags
3. Text

## Recency

A note of this week counts twice.
Older notes count once.

## Later

Embeddings, if the model is small.
`,
  'Projects/Release 2.4/Checklist.md':
    '# Checklist\n\nNotes, screenshots, upgrade steps, the build.\n',
  'Reference/Glossary.md': '# Glossary\n\n**Posting**: one note in which a word occurs.\n',
  [BASE_OF_TASKS]: `filters:
  and:
    - file.inFolder("Readers/Tasks")
views:
  - type: agent-task-boards-task-notes
    name: Board
`,
  'Readers/Tasks/Invite three readers.md': taskNote('read-1', 'completed'),
  'Readers/Tasks/Write the questions.md': taskNote('read-2', 'in_progress'),
  'Readers/Tasks/Talk to each of them.md': taskNote('read-3', 'pending', 'read-1', 'read-2'),
  'Templates/Meeting.md': '# Meeting\n\nWho, why, what was decided.\n',
};

function taskNote(id: string, status: string, ...dependsOn: readonly string[]): string {
  return `---\nid: ${id}\nstatus: ${status}\ndependsOn: [${dependsOn.join(', ')}]\n---\n\nFor the beta.\n`;
}

export async function writeDemoNotes(vault: string): Promise<void> {
  for (const [path, text] of Object.entries(NOTES)) {
    const file = join(vault, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

export function hasDemoNotes(vault: string): boolean {
  return Object.keys(NOTES).every((path) => existsSync(join(vault, path)));
}
