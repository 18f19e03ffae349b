import type { Block, BlockOf } from '../../core/session/transcript/block';
import { permissionText } from '../ask/permission-text';
import { changeWord } from './board-block';
import { clockTime, duration } from './duration';
import { inertText, inertWords } from './inert-text';
import { toolWords } from './tool-words';

/** UTF-16 units of a call's output that go into the note. */
const LONGEST = 4_000;

export interface ConversationFacts {
  readonly title: string;
  readonly agent: string;
  readonly sessionId: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
}

/**
 * A conversation as a note. What was said stays as it was written, except for what a note would do
 * with it: its boxes are no tasks, its embeds and HTML are text, and no plugin runs its code.
 */
export function conversationNote(blocks: readonly Block[], facts: ConversationFacts): string {
  const header = [
    '---',
    `session: ${JSON.stringify(facts.sessionId)}`,
    `agent: ${JSON.stringify(facts.agent)}`,
    `date: ${facts.date}`,
    '---',
    '',
    `# ${inertWords(facts.title)}`,
  ];
  let agentSpeaks = false;
  const parts = blocks.flatMap((block) => {
    const text = blockText(block);
    if (text === '') return [];
    const own = block.kind === 'prompt';
    const head =
      own || agentSpeaks ? [] : [`## ${inertWords(facts.agent)} · ${clockTime(block.at)}`];
    agentSpeaks = !own;
    return [...head, text];
  });
  // What stands behind this mark, code or not, is run by a plugin that fills new notes.
  return `${[header.join('\n'), ...parts].join('\n\n')}\n`.replaceAll('<%', '< %');
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'prompt':
      return `## You · ${clockTime(block.at)}\n\n${inertText(block.text)}`;
    case 'text':
      return inertText(block.text);
    case 'thinking':
      return callout('Thought', inertText(block.text));
    case 'tool':
      return toolText(block);
    case 'board':
      return block.changes
        .map((one) => `- ${inertWords(one.title)}: ${changeWord(one)}`)
        .join('\n');
    case 'permission':
      return `_${inertWords(permissionText(block.request).question)} ${REPLIES[block.reply ?? 'none']}_`;
    case 'question':
      return block.request.questions
        .map(({ question }) => `_${inertWords(question)}_`)
        .join('\n\n');
    case 'turn':
      if (block.reason === 'completed') return '';
      return block.reason === 'interrupted'
        ? '_You stopped this turn._'
        : `_The turn ended with an error._ ${inertWords(block.error?.message ?? '')}`;
    case 'missed':
      return '_Some text was missed while offline._';
  }
}

const REPLIES = {
  once: 'Allowed once.',
  always: 'Always allowed.',
  reject: 'Denied.',
  none: 'Not answered.',
} as const;

function toolText(block: BlockOf<'tool'>): string {
  const { name, object } = toolWords(block);
  const took = block.ended === undefined ? '' : ` (${duration(block.ended - block.at)})`;
  const parts = [block.input, block.output, block.error].filter((part) => part !== undefined);
  return callout(
    `${inertWords(`${name} ${object}`).trim()}${took}`,
    parts.map((part) => fenced(part.slice(0, LONGEST))).join('\n'),
  );
}

/** A folded box; without content a line. */
function callout(title: string, text: string): string {
  if (text.trim() === '') return `- ${title}`;
  const lines = text.split('\n').map((line) => `> ${line}`);
  return [`> [!quote]- ${title}`, ...lines].join('\n');
}

/** Text as code, in a fence that nothing in it closes. */
function fenced(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.replaceAll(/\r\n?/g, '\n')}\n${fence}`;
}
