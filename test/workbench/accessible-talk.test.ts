import { describe, it } from 'vitest';
import { AXE_VARIANTS, Findings } from './axe';
import { ConversationRig } from './conversation-rig';

const ANSWER = `# What I found

See [the guide](https://example.com), [[Inbox]] and \`notes.ts\`.

- [x] Read **the notes**
- [ ] Look at [the guide](https://example.com)
- [ ] \`\`\`
  code
  \`\`\`

1. One
2. Two

> A *quote* with [a link](https://example.com) and ~~old~~ ==new== words

| Note | Lines |
| ---- | ----- |
| [[Inbox]] | 2 |

\`\`\`ts
const words = 'a line of code that is much wider than the view in which it stands, so that it scrolls';
\`\`\`
`;
const CHANGE = '@@ -1,2 +1,2 @@\n one\n-old\n+new';
const QUESTION = {
  requestId: 'q1',
  questions: [{ question: 'Who is it for?', options: [{ label: 'All' }, { label: 'Beginners' }] }],
};

describe.each(AXE_VARIANTS)('%s', (_, query, size) => {
  it('[PLUGIN68] axe finds nothing in a conversation, its cards and its composer', async () => {
    const found = new Findings();
    const rig = new ConversationRig();
    await rig.open(query, size);
    try {
      await talk(rig, found);
    } finally {
      await rig.close();
    }
    found.expectNone();
  });
});

/** A conversation with all kinds of blocks, the request cards, and the notes to attach. */
async function talk(rig: ConversationRig, found: Findings): Promise<void> {
  const { page } = rig;
  await rig.newSession();
  const call = (callId: string, tool: string, input: object, more: object) =>
    rig.event('tool.update', { callId, tool, status: 'completed', input, ...more });
  await rig.emit(
    rig.prompt('Plan **first**', 'u1'),
    rig.event('progress.update', { kind: 'busy' }),
    rig.event('message.final', {
      ...{ messageId: 'a', partId: 't', text: 'Hm, **maybe**' },
      ...{ kind: 'thinking', role: 'assistant' },
    }),
    rig.message(ANSWER, 'a1'),
    call('c1', 'bash', { command: 'ls -l' }, { output: 'two files' }),
    call('c2', 'bash', { command: 'rm it' }, { status: 'error', error: 'It is not there.' }),
    call('c3', 'edit', { filePath: 'A.md' }, { metadata: { diff: CHANGE }, output: 'Edited.' }),
    rig.event('progress.update', {
      kind: 'todo',
      todos: [
        { content: 'Look at it', status: 'completed' },
        { content: 'Write it', status: 'in_progress' },
      ],
    }),
    rig.event('progress.update', { kind: 'tokens', input: 970, output: 10, limit: 1_000 }),
    rig.event('progress.update', { kind: 'compacted', messageId: 'k', summary: 'What **counts**' }),
    rig.event('turn.end', { reason: 'error', error: { code: 'Overflow', message: 'Too long.' } }),
    rig.event('permission.request', {
      ...{ requestId: 'p1', permission: 'edit', patterns: ['A/Index.md'], always: ['*'] },
      metadata: { filepath: 'A/Index.md', diff: CHANGE },
    }),
    rig.event('question.request', QUESTION),
  );
  await rig.view.getByRole('group', { name: 'Who is it for?' }).waitFor();
  for (const words of ['ls -l', 'rm it', 'Thought', 'To-do list', 'What remained']) {
    await rig.block(words).locator('button').first().click();
  }
  await rig.view.getByText('two files').waitFor();
  // Blocks far outside the visible part are not drawn.
  await rig.scroller.evaluate((element) => (element.scrollTop = element.scrollHeight));
  await rig.view
    .getByRole('button', { name: 'Allow once' })
    .and(page.locator(':enabled'))
    .waitFor();
  await found.check(page, 'cards', '.atb-conversation');
  // axe checks the colours of visible elements only.
  await rig.scroller.evaluate((element) => (element.scrollTop = 0));
  await rig.view.getByText('What I found').waitFor();
  await found.check(page, 'answer', '.atb-conversation');
  await rig.scroller.evaluate((element) => (element.scrollTop = element.clientHeight));
  await rig.waitForDraw();
  await found.check(page, 'below the answer', '.atb-conversation');
  await rig.view.locator('.atb-context-meter').click();
  await rig.view.getByText('Kept for the answer').or(rig.view.getByText('Free')).first().waitFor();
  await found.check(page, 'context', '.atb-conversation');
  await rig.page.keyboard.press('Escape');
  await rig.field.focus();
  await rig.page.keyboard.press('Control+f');
  await rig.page.keyboard.type('maybe');
  await found.check(page, 'find', '.atb-conversation');
  const places = ['.atb-markdown p', '.atb-talk-words', '.atb-markdown mark', '.atb-markdown code'];
  await found.checkHighlight(page, 'atb-find', places);
  await rig.page.keyboard.press('Escape');
  await rig.field.fill('Look at @In');
  await rig.view.getByRole('option').first().waitFor();
  await found.check(page, 'notes', '.atb-conversation');
  await rig.field.press('Enter');
  await rig.view.getByRole('option').first().waitFor({ state: 'detached' });
  await rig.field.fill('');
  await rig.field.pressSequentially('/');
  await rig.view.getByRole('option').first().waitFor();
  await found.check(page, 'commands', '.atb-conversation');
  await rig.field.press('Escape');
  await page.evaluate(() => window.stand.connect(false));
  await rig.view.getByText('Not connected. Your text is kept.').waitFor();
  await found.check(page, 'offline', '.atb-conversation');
  await rig.emit(rig.event('session.end', { reason: 'deleted' }));
  await page.evaluate(() => window.stand.connect(true));
  await rig.view.getByText('This session has ended.').waitFor();
  await found.check(page, 'ended', '.atb-conversation');
}
