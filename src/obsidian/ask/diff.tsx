import { useMemo, useState } from 'preact/hooks';
import type { PermissionRequest } from '../../protocol/requests';
import { diffLines, type DiffLine } from './diff-lines';

/** Lines that are shown at first. */
const FIRST_LINES = 400;

const SIGNS = { added: '+', removed: '-', same: '', place: '' } as const;

/** Exactly what would change. */
export function Diff(props: { readonly request: PermissionRequest; readonly name: string }) {
  const { request } = props;
  const lines = useMemo(() => diffLines(request), [request]);
  return <DiffLines lines={lines} name={`Change: ${props.name}`} />;
}

/** All of it is plain text; the kind of a line is said in words, too. */
export function DiffLines(props: { readonly lines: readonly DiffLine[]; readonly name: string }) {
  const { lines, name } = props;
  const [all, setAll] = useState(false);
  if (lines.length === 0) return null;
  const shown = all ? lines : lines.slice(0, FIRST_LINES);
  return (
    <div class="atb-diff" role="region" aria-label={name} tabIndex={0}>
      {shown.map((line, index) => (
        <Line key={index} line={line} />
      ))}
      {shown.length < lines.length && (
        <button type="button" class="atb-button-quiet" onClick={() => setAll(true)}>
          Show all {lines.length.toLocaleString('en')} lines
        </button>
      )}
    </div>
  );
}

function Line({ line }: { readonly line: DiffLine }) {
  if (line.kind === 'place') {
    return (
      <div class="atb-diff-line" data-kind="place">
        {line.text}
      </div>
    );
  }
  return (
    <div class="atb-diff-line" data-kind={line.kind}>
      <span aria-hidden="true">{SIGNS[line.kind]}</span>
      {line.kind !== 'same' && <span class="atb-unseen">{line.kind}: </span>}
      <span>{line.text}</span>
    </div>
  );
}
