import { useMemo, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { useName } from '../part/use-name';
import type { DiffLine } from './diff-lines';
import { ShownText } from './shown-text';

/** Lines that are shown at first. */
export const FIRST_LINES = 400;
/** Lines that are laid out together, once they come into sight. */
const IN_CHUNK = 100;

const SIGNS = { added: '+', removed: '-', same: '' } as const;

/**
 * Exactly what would change, all of it plain text; the kind of a line is said in words, too.
 * @param name of the region, "Change to Index format"
 */
export function DiffLines(props: { readonly lines: readonly DiffLine[]; readonly name: string }) {
  const { lines, name } = props;
  const [all, setAll] = useState(false);
  const shown = useMemo(() => chunks(all ? lines : lines.slice(0, FIRST_LINES)), [lines, all]);
  const [named, hidden] = useName(name);
  const region = useRef<HTMLDivElement>(null);
  // The button goes with the press; where to read on is the region.
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
      data-long={all && lines.length > FIRST_LINES}
    >
      {hidden}
      {shown}
      {!all && lines.length > FIRST_LINES && (
        <button type="button" class="atb-button-quiet" onClick={showAll}>
          Show all {lines.length.toLocaleString('en')} lines
        </button>
      )}
    </div>
  );
}

function chunks(lines: readonly DiffLine[]): ComponentChildren {
  const count = Math.ceil(lines.length / IN_CHUNK);
  return Array.from({ length: count }, (_, at) => (
    <div class="atb-diff-chunk" key={at}>
      {lines.slice(at * IN_CHUNK, (at + 1) * IN_CHUNK).map((line, index) => (
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
        {kind === 'same' ? <ShownText text={line.text} /> : <Marked line={line} />}
      </span>
    </div>
  );
}

function Marked({ line }: { readonly line: Extract<DiffLine, { kind: 'added' | 'removed' }> }) {
  const { text, marks, end } = line;
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    parts.push(
      <ShownText text={text.slice(at, from)} />,
      <span class="atb-diff-mark">
        <ShownText text={text.slice(from, to)} />
      </span>,
    );
    at = to;
  }
  return (
    <>
      {parts}
      <ShownText text={text.slice(at)} />
      {end !== undefined && <span class="atb-unseen-mark">{end}</span>}
    </>
  );
}
