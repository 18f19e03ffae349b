import { setIcon } from 'obsidian';
import { Facet, StateEffect, StateField, type EditorState, type Range } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';
import { isSameLine, type KeptVersion } from '../../core/board/merge/note-draft';
import { taskLineParts } from '../../core/board/merge/merge-line';
import { t } from '../language/text';

/** A line with two versions; `at` is the offset of the line. */
export interface SourceConflict {
  readonly version: KeptVersion;
  readonly at: number;
}

export const addConflicts = StateEffect.define<readonly SourceConflict[]>({
  map: (conflicts, changes) =>
    conflicts.map(({ version, at }) => ({ version, at: changes.mapPos(at, -1) })),
});

export const dropConflict = StateEffect.define<KeptVersion>();

export interface ConflictChoices {
  /** name of who wrote the other version */
  readonly other: () => string;
  readonly choose: (version: KeptVersion, side: 'mine' | 'theirs') => void;
}

/** Provides the handlers of the person's choice. */
export const conflictChoices = Facet.define<ConflictChoices, ConflictChoices | undefined>({
  combine: ([first]) => first,
});

/** The lines with two versions; a card is drawn below each. */
export const conflicts = StateField.define<readonly SourceConflict[]>({
  create: () => [],
  update(before, { changes, effects }) {
    let now = changes.empty
      ? before
      : before.map(({ version, at }) => ({ version, at: changes.mapPos(at, -1) }));
    for (const effect of effects) {
      if (effect.is(dropConflict)) now = now.filter(({ version }) => version !== effect.value);
      if (effect.is(addConflicts)) {
        const added = effect.value;
        const older = now.filter(
          (one) => !added.some((new_) => isSameLine(new_.version, one.version)),
        );
        now = [...older, ...added].sort((a, b) => a.at - b.at);
      }
    }
    return now;
  },
  provide: (field) => EditorView.decorations.compute([field, 'doc'], conflictCards),
});

/** Offset of the task's line by its id, or without an id of the line with the person's text. */
export function conflictOffset({ doc }: EditorState, version: KeptVersion): number {
  let at = 0;
  for (const text of doc.iterLines()) {
    const found =
      version.id === null ? text === version.yours : taskLineParts(text)?.id === version.id;
    if (found) return at;
    at += text.length + 1;
  }
  return doc.line(doc.lines).from;
}

function conflictCards(state: EditorState): DecorationSet {
  const list = state.field(conflicts);
  const ranges: Range<Decoration>[] = list.map(({ version, at }, index) =>
    Decoration.widget({
      widget: new ConflictCard(version, index + 1, list.length),
      block: true,
      side: 1,
    }).range(state.doc.lineAt(at).to),
  );
  return Decoration.set(ranges, true);
}

class ConflictCard extends WidgetType {
  constructor(
    private readonly version: KeptVersion,
    private readonly position: number,
    private readonly count: number,
  ) {
    super();
  }

  override eq(other: ConflictCard): boolean {
    const same = other.position === this.position && other.count === this.count;
    return same && other.version === this.version;
  }

  /** Draws both versions of the line, with buttons to choose one. */
  override toDOM(view: EditorView): HTMLElement {
    const { version, position, count } = this;
    const choices = view.state.facet(conflictChoices);
    const other = choices?.other() ?? '';
    // Labelled by its heading, since the app shows each `aria-label` as a tooltip.
    const id = `atb-conflict-${position}`;
    const element = createDiv({
      cls: 'atb-conflict',
      attr: { role: 'group', 'aria-labelledby': id, contenteditable: 'false' },
    });
    const head = element.createDiv({ cls: 'atb-conflict-head' });
    setIcon(head.createSpan({ cls: 'atb-icon', attr: { 'aria-hidden': 'true' } }), 'git-merge');
    const title = t('note.twoVersionsOf', { title: version.title });
    head.createSpan({ cls: 'atb-conflict-title', text: title, attr: { id } });
    head.createSpan({
      cls: 'atb-conflict-count',
      text: t('note.placeOf', { place: position, all: count }),
    });
    const { yours, theirs } = shownTexts(version);
    const rows = element.createDiv({ cls: 'atb-conflict-rows' });
    const addRow = (who: string, text: string, label: string, side: 'mine' | 'theirs') => {
      const row = rows.createDiv({ cls: 'atb-conflict-row' });
      row.createSpan({ cls: 'atb-conflict-who', text: who });
      row.createSpan({ cls: 'atb-conflict-text', text });
      const button = row.createEl('button', { text: label, attr: { type: 'button' } });
      button.addClass(side === 'mine' ? 'mod-cta' : 'atb-button');
      button.addEventListener('click', () => choices?.choose(version, side));
    };
    addRow(t('note.yours'), yours, t('note.keepYours'), 'mine');
    addRow(other, theirs, t('note.useTheirs', { other }), 'theirs');
    element.createDiv({
      cls: 'atb-conflict-note',
      text: t('note.yoursIsInNote'),
    });
    return element;
  }

  /** Keeps the editor from handling events of the card's buttons. */
  override ignoreEvent(): boolean {
    return true;
  }
}

/** The titles if they differ, else the whole lines, since the difference is elsewhere in them. */
function shownTexts({ yours, theirs }: KeptVersion): { yours: string; theirs: string } {
  const [own, other] = [taskLineParts(yours), taskLineParts(theirs)];
  if (own === undefined || other === undefined || own.title === other.title) {
    return { yours: yours.trim(), theirs: theirs.trim() };
  }
  return { yours: own.title, theirs: other.title };
}
