import { history } from '@codemirror/commands';
import { indentUnit } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightActiveLine, tooltips, type ViewUpdate } from '@codemirror/view';
import type { Task } from '../../core/board/task';
import { completionTasks, idCompletion } from './source-complete';
import { conflictChoices, conflicts, type ConflictChoices } from './source-conflicts';
import { headerFolding } from './source-header';
import { sourceKeys } from './source-keys';
import { sourceMarks } from './source-marks';
import { regionsField } from './source-regions';
import { touchedLines } from './source-touched';
import { typingLine } from './source-typing';

export interface SourceEditorDeps {
  /** for screen readers */
  readonly name: string;
  readonly today: () => string;
  readonly tasks: () => readonly Task[];
  readonly choices: ConflictChoices;
  readonly onUpdate: (update: ViewUpdate) => void;
}

/** The editor of a note as text: every character is kept and shown. */
export function sourceEditor(parent: HTMLElement, doc: string, deps: SourceEditorDeps): EditorView {
  parent.createDiv({ cls: 'atb-unseen', text: deps.name, attr: { id: NAME_ID } });
  return new EditorView({
    parent,
    state: EditorState.create({ doc, extensions: extensions(deps) }),
  });
}

/** Labelled by an element: the app shows each `aria-label` as a tooltip. */
const NAME_ID = 'atb-note-editor-name';

function extensions(deps: SourceEditorDeps): Extension {
  return [
    idCompletion(),
    sourceKeys(deps.today),
    history(),
    indentUnit.of('\t'),
    EditorState.tabSize.of(4),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-labelledby': NAME_ID, spellcheck: 'true' }),
    highlightActiveLine(),
    tooltips({ position: 'fixed' }),
    regionsField,
    sourceMarks,
    headerFolding(),
    touchedLines,
    typingLine,
    conflicts,
    conflictChoices.of(deps.choices),
    completionTasks.of(deps.tasks),
    EditorView.updateListener.of(deps.onUpdate),
  ];
}
