import { readRunPrompt } from '../../core/orchestrator/run-prompt';
import { shownVerdict } from '../../core/orchestrator/verdict';
import type { Block, BlockOf } from '../../core/session/transcript/transcript';
import { permissionText } from '../ask/ask-text';
import { describeChange, COMPACTED_TEXT, todoWords, toolCallWords } from './tool-block';
import { timeOfDay, durationWords, refusalWords } from '../ui/text';
import type { Attachment } from '../../protocol/snapshot';
import { attachmentWords } from './drafts';
import { notesSentAlong } from './related-notes';
import { criterionWords, verdictTitle } from './block-view';
import { COMMA, t, translated } from '../language/text';

/** Most UTF-16 units of a call's output that go into the note. */
const MAX_OUTPUT_LENGTH = 4_000;

export interface ConversationFacts {
  readonly title: string;
  readonly agent: string;
  readonly sessionId: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
}

/**
 * Formats a conversation as a note. The text stays as it was written, but has no effect in the
 * note: its checkboxes are no tasks, its embeds and HTML are plain text, and no plugin runs its
 * code.
 */
export function conversationNote(blocks: readonly Block[], facts: ConversationFacts): string {
  const header = [
    '---',
    `session: ${JSON.stringify(facts.sessionId)}`,
    `agent: ${JSON.stringify(facts.agent)}`,
    `date: ${facts.date}`,
    '---',
    '',
    `# ${inertInline(facts.title)}`,
  ];
  let agentSpeaks = false;
  const parts = blocks.flatMap((block) => {
    const text = blockText(block);
    if (text === '') return [];
    const own = block.kind === 'prompt';
    const head =
      own || agentSpeaks ? [] : [`## ${inertInline(facts.agent)} · ${timeOfDay(block.at)}`];
    agentSpeaks = !own;
    return [...head, text];
  });
  // Templating plugins run what follows this mark in new notes, even inside code.
  return `${[header.join('\n'), ...parts].join('\n\n')}\n`.replaceAll('<%', '< %');
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'prompt':
      return promptText(block);
    case 'text':
      return messageText(block.text);
    case 'thinking':
      return callout(t('conversation.thought'), inertText(block.text));
    case 'tool':
      return toolText(block);
    case 'board':
      return block.changes
        .map((one) => `- ${inertInline(one.title)}: ${describeChange(one)}`)
        .join('\n');
    case 'permission':
      return `_${inertInline(permissionText(block.request).question)} ${t(`noteReply.${block.reply ?? 'none'}`)}_`;
    case 'question':
      return block.request.questions
        .map(({ question }, index) => {
          const answer = (block.answers?.[index] ?? []).join(COMMA);
          return `_${inertInline(question)}_${answer === '' ? '' : ` ${inertInline(answer)}`}`;
        })
        .join('\n\n');
    case 'turn':
      if (block.reason === 'completed') return '';
      return block.reason === 'interrupted'
        ? `_${t('conversation.youStoppedThisTurn')}_`
        : `_${t('conversation.turnFailed')}_ ${inertInline(translated(block.error?.message ?? ''))}`;
    case 'todos':
      return block.todos.map((one) => `- ${inertInline(todoWords(one))}`).join('\n');
    case 'compacted':
      return [`_${COMPACTED_TEXT}_`, ...(block.summary ? ['', inertText(block.summary)] : [])].join(
        '\n',
      );
    case 'missed':
      return `_${t('conversation.someTextWasMissed')}_`;
  }
}

function promptText({ at, text, attached = [] }: BlockOf<'prompt'>): string {
  const named = (key: 'attachedNames' | 'sentNames', some: readonly Attachment[]) => {
    const names = some.map((one) => inertInline(attachmentWords(one))).join(COMMA);
    return names === '' ? '' : `\n\n_${t(`conversation.${key}`, { names })}_`;
  };
  const along = notesSentAlong(attached);
  const rest = attached.filter((one) => !along.includes(one));
  const line = named('attachedNames', rest) + named('sentNames', along);
  const person = readRunPrompt(text) === undefined;
  const head = t(person ? 'conversation.youAt' : 'conversation.runAt', { time: timeOfDay(at) });
  return `## ${head}\n\n${inertText(text)}${line}`;
}

/** An agent's message; a verdict at its end is put in words. */
function messageText(text: string): string {
  const verdict = shownVerdict(text);
  if (verdict === undefined) return inertText(text);
  const { before, result, criteria } = verdict;
  const intro = before === '' ? [] : [inertText(before), ''];
  const lines = criteria.map((one) => `- ${inertInline(criterionWords(one))}`);
  return [
    ...intro,
    `**${verdictTitle(verdict)}** ${inertInline(result)}`.trimEnd(),
    '',
    ...lines,
  ].join('\n');
}

function toolText(block: BlockOf<'tool'>): string {
  const { name, object } = toolCallWords(block);
  const took = block.ended === undefined ? '' : ` (${durationWords(block.ended - block.at)})`;
  const parts = [block.input, block.output, block.error].filter((part) => part !== undefined);
  const { refusals } = block;
  const refusal = refusals === undefined ? '' : `: ${refusalWords(refusals)}`;
  return callout(
    `${inertInline(`${name} ${object}`).trim()}${refusal}${took}`,
    parts.map((part) => fenced(part.slice(0, MAX_OUTPUT_LENGTH))).join('\n'),
  );
}

/** A folded callout, or a list item if there is no text. */
function callout(title: string, text: string): string {
  if (text.trim() === '') return `- ${title}`;
  const lines = text.split('\n').map((line) => `> ${line}`);
  return [`> [!quote]- ${title}`, ...lines].join('\n');
}

/** Text in a code fence that is longer than any run of backticks in it. */
function fenced(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.replaceAll(/\r\n?/g, '\n')}\n${fence}`;
}

/** Prefixes of a line: quotes and list items, in any nesting. */
const CONTAINER_PREFIX = String.raw`(?:[\s>]|(?:[-*+]|\d{1,9}[.)])\s)*`;

const CHECKBOX = new RegExp(String.raw`^(${CONTAINER_PREFIX}(?:[-*+]|\d{1,9}[.)])\s+)\[(.)\]`, 'u');

const INLINE_QUERY = new RegExp(String.raw`^(${CONTAINER_PREFIX})(\$?=)`, 'u');

const NESTED_FENCE = new RegExp(String.raw`^(${CONTAINER_PREFIX})([\x60~]{3,})`, 'u');

/**
 * Escapes Markdown so that it has no effect: checkboxes, embeds, HTML and comments become text, and
 * code keeps its text but loses its language. Only fences at the margin count as code, since there
 * Obsidian and this function agree; in quotes and list items they are text.
 */
function inertText(text: string): string {
  let fence: string | undefined;
  const lines = text.split(/\r\n?|\n/).map((line) => {
    const [, found = '', rest = ''] = /^\s*(`{3,}|~{3,})(.*)$/u.exec(line) ?? [];
    if (fence !== undefined) {
      const closes = found.startsWith(fence) && rest.trim() === '';
      if (!closes) return line;
      fence = undefined;
      return found;
    }
    if (found === '' || (found.startsWith('`') && rest.includes('`'))) return inertLine(line);
    fence = found;
    return `${found}text`;
  });
  // A fence that was never closed would swallow what follows.
  return fence === undefined ? lines.join('\n') : [...lines, fence].join('\n');
}

/** Like `inertText`, but on one line, in which no code block can begin. */
function inertInline(text: string): string {
  return inertLine(text.replaceAll(/[\r\n]+/g, ' '));
}

function inertLine(line: string): string {
  return line
    .replace(NESTED_FENCE, (_, before: string, run: string) => before + escaped(run))
    .replace(INLINE_QUERY, '$1\u200b$2')
    .replace(CHECKBOX, '$1\\[$2\\]')
    .replace(/^(#{1,6}) /, '##$1 ')
    .replace(/^#{7,} /, '###### ')
    .replace(/^---\s*$/, '***')
    .replaceAll('![', '!\\[')
    .replaceAll(
      /(\\*)</g,
      (_, before: string) => `${before}${before.length % 2 === 0 ? '\\' : ''}<`,
    )
    .replaceAll('%%', '\\%\\%')
    .replaceAll('$$', () => '\\$\\$')
    .replaceAll(/`(\s*\$?=)/g, '`\u200b$1') // white space before a query is ignored
    .replaceAll(/\^([A-Za-z0-9-]+)\s*$/g, '\\^$1');
}

function escaped(run: string): string {
  return [...run].map((one) => `\\${one}`).join('');
}
