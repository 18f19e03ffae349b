import { useMemo, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { Button, useAccessibleName } from './icon';
import type { DiffLine } from './text-diff';
import { t } from '../language/text';

/** Lines that are shown until the person asks for all. */
const INITIAL_LINES = 400;

/** Lines per chunk; a chunk is laid out when it scrolls into view. */
const CHUNK_LINES = 100;

const SIGNS = { added: '+', removed: '-', same: '' } as const;

/**
 * Shows an exact change as plain text; the kind of each line is also given in words.
 * @param name accessible name of the region, "Change to Index format"
 */
export function DiffLines(props: { readonly lines: readonly DiffLine[]; readonly name: string }) {
  const { lines, name } = props;
  const [all, setAll] = useState(false);
  const shown = useMemo(() => chunks(all ? lines : lines.slice(0, INITIAL_LINES)), [lines, all]);
  const [named, hidden] = useAccessibleName(name);
  const region = useRef<HTMLDivElement>(null);
  // Pressing the button removes it, so the focus moves to the region.
  const showAll = () => {
    region.current?.focus({ preventScroll: true });
    setAll(true);
  };
  if (lines.length === 0) return null;
  return (
    <div
      class="atb-diff"
      role="region"
      {...named}
      tabIndex={0}
      ref={region}
      data-long={all && lines.length > INITIAL_LINES}
    >
      {hidden}
      {shown}
      {!all && lines.length > INITIAL_LINES && (
        <Button
          kind="quiet"
          words={t('ui.showAllLines', { count: lines.length })}
          onClick={showAll}
        />
      )}
    </div>
  );
}

function chunks(lines: readonly DiffLine[]): ComponentChildren {
  const count = Math.ceil(lines.length / CHUNK_LINES);
  return Array.from({ length: count }, (_, at) => (
    <div class="atb-diff-chunk" key={at}>
      {lines.slice(at * CHUNK_LINES, (at + 1) * CHUNK_LINES).map((line, index) => (
        <Line key={index} line={line} />
      ))}
    </div>
  ));
}

function Line({ line }: { readonly line: DiffLine }) {
  const { kind } = line;
  if (kind === 'place') {
    return (
      <div class="atb-diff-line" data-kind="place">
        {line.text}
      </div>
    );
  }
  const before = kind === 'added' ? '' : line.before;
  const after = kind === 'removed' ? '' : line.after;
  return (
    <div class="atb-diff-line" data-kind={kind}>
      <span class="atb-diff-number is-before" aria-hidden="true" data-number={before} />
      <span class="atb-diff-number is-after" aria-hidden="true" data-number={after} />
      <span class="atb-diff-sign" aria-hidden="true">
        {SIGNS[kind]}
      </span>
      {kind !== 'same' && <span class="atb-unseen">{kind}: </span>}
      <span class="atb-diff-text">
        {kind === 'same' ? <VisibleText text={line.text} /> : <MarkedLine line={line} />}
      </span>
    </div>
  );
}

function MarkedLine({ line }: { readonly line: Extract<DiffLine, { kind: 'added' | 'removed' }> }) {
  const { text, marks, end } = line;
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    parts.push(
      <VisibleText text={text.slice(at, from)} />,
      <span class="atb-diff-mark">
        <VisibleText text={text.slice(from, to)} />
      </span>,
    );
    at = to;
  }
  return (
    <>
      {parts}
      <VisibleText text={text.slice(at)} />
      {end !== undefined && <span class="atb-unseen-mark">{end}</span>}
    </>
  );
}

/**
 * Characters that are invisible or change the writing direction, and could make a text look like
 * another. Tabs and line ends are visible; joiners are parts of words in some scripts, and of
 * emoji.
 */
const INVISIBLE = /((?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}])(\1*)/u;

const ALL_INVISIBLE = new RegExp(INVISIBLE.source, 'gu');

/** Most invisible characters that get an element each; too many would block the app. */
const MAX_MARKS = 500;

/** Shows a text as plain text, with invisible characters replaced by their code points. */
export function VisibleText({ text }: { readonly text: string }): ComponentChildren {
  // Text before the first match, then per match: the character, repetitions, the text after it.
  const parts = text.split(INVISIBLE, 3 * MAX_MARKS + 1);
  if (parts.length === 1) return text;
  const shown: ComponentChildren[] = [parts[0]];
  let end = parts[0]?.length ?? 0;
  for (let at = 1; at < parts.length; at += 3) {
    const [char = '', more = '', behind = ''] = parts.slice(at, at + 3);
    shown.push(<CodePointMark key={at}>{codePointText(char, more)}</CodePointMark>, behind);
    end += char.length + more.length + behind.length;
  }
  if (end < text.length)
    shown.push(<CodePointMark>{replaceInvisible(text.slice(end))}</CodePointMark>);
  return shown;
}

function CodePointMark({ children }: { readonly children: ComponentChildren }) {
  return <span class="atb-unseen-mark">{children}</span>;
}

function replaceInvisible(text: string): string {
  return text.replace(
    ALL_INVISIBLE,
    (_, char: string, more: string) => `<${codePointText(char, more)}>`,
  );
}

/** "U+200B", "U+200B, 3 times" */
function codePointText(char: string, more: string): string {
  const times = 1 + more.length / char.length;
  const digits = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const number = `U+${digits}`;
  return times === 1 ? number : t('ui.charTimes', { number, count: times });
}

/** Most lines that a card shows; a longer change is reviewed in the dialog. */
const MAX_LINES = 100;

/** Average UTF-16 units per line. */
const MAX_UNITS = 200;

/** Whether a card of `most` lines shows the whole change, so that it can be allowed there. */
export function shownInFull(lines: readonly DiffLine[], most = MAX_LINES): boolean {
  const units = lines.reduce((sum, { text }) => sum + text.length, 0);
  return lines.length <= most && units <= most * MAX_UNITS;
}
