import { DiagnosticSeverity, type Diagnostic, type Range } from 'vscode-languageserver';
import { findings, type Finding } from '../core/board/board-findings';
import type { OpenNote } from './open-notes';

/** Diagnostics for the person. Empty for a document that is not a board. */
export function noteDiagnostics(open: OpenNote): readonly Diagnostic[] {
  if (open.isBoard && open.isTooLarge) {
    const message = 'This note is too large for a board (16 MiB). Archive tasks, or shorten it.';
    const severity = DiagnosticSeverity.Error;
    return [{ range: open.lineRange(1), severity, message, code: 'too-large', source: SOURCE }];
  }
  return noteFindings(open).map((finding) => {
    const { kind, text: message } = finding;
    const severity = kind === 'broken-note' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning;
    return { range: rangeOf(open, finding), severity, message, code: kind, source: SOURCE };
  });
}

/** Source shown with diagnostics in the editor. */
export const SOURCE = 'agent-boards';

/** Problems of the note itself, or between it and its archive. */
export function noteFindings({ note, isArchive, context: place }: OpenNote): readonly Finding[] {
  if (note === undefined) return [];
  const { board } = note;
  if (isArchive) return findings([], [{ kind: 'archive', path: board.path, board }]);
  const archive = place?.archive?.note.board;
  const beside = archive ? [{ kind: 'archive' as const, path: archive.path, board: archive }] : [];
  return findings([board], beside).filter(({ path }) => path === board.path);
}

/** The range of the unknown id, or else the line. */
function rangeOf(open: OpenNote, { missing, line }: Finding): Range {
  const whole = open.lineRange(line);
  if (missing === undefined) return whole;
  const from = open.offsetAt(whole.start);
  const end = open.offsetAt(whole.end);
  const span = open.ids.find(
    ({ id, kind, start }) => kind === 'wait' && start > from && start < end && missing.includes(id),
  );
  return span === undefined ? whole : open.range(span.start, span.end);
}
