import { Facet, StateEffect, StateField, type EditorState, type Range } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';
import { sameLine, type KeptVersion } from '../../core/board/merge/note-draft';
import { taskLineParts } from '../../core/board/merge/merge-line';
import type { DrawIcon } from '../ui/icon';

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
  /** who wrote the other version */
  readonly other: () => string;
  readonly drawIcon: DrawIcon;
  readonly choose: (version: KeptVersion, side: 'mine' | 'theirs') => void;
}

/** Who is asked when the person chooses. */
export const conflictChoices = Facet.define<ConflictChoices, ConflictChoices | undefined>({
  combine: ([first]) => first,
});

/** Lines with two versions, each with a card below it. */
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
          (one) => !added.some((new_) => sameLine(new_.version, one.version)),
        );
        now = [...older, ...added].sort((a, b) => a.at - b.at);
      }
    }
    return now;
  },
  provide: (field) => EditorView.decorations.compute([field, 'doc'], cards),
});

/** The line of a task that has another version, else the line that reads as the person's. */
export function conflictPlace({ doc }: EditorState, version: KeptVersion): number {
  let at = 0;
  for (const text of doc.iterLines()) {
    const found =
      version.id === null ? text === version.yours : taskLineParts(text)?.id === version.id;
    if (found) return at;
    at += text.length + 1;
  }
  return doc.line(doc.lines).from;
}

function cards(state: EditorState): DecorationSet {
  const list = state.field(conflicts);
  const ranges: Range<Decoration>[] = list.map(({ version, at }, index) =>
    Decoration.widget({
      widget: new CardWidget(version, index + 1, list.length),
      block: true,
      side: 1,
    }).range(state.doc.lineAt(at).to),
  );
  return Decoration.set(ranges, true);
}

class CardWidget extends WidgetType {
  constructor(
    private readonly version: KeptVersion,
    private readonly place: number,
    private readonly count: number,
  ) {
    super();
  }

  override eq(other: CardWidget): boolean {
    const same = other.place === this.place && other.count === this.count;
    return same && other.version === this.version;
  }

  override toDOM(view: EditorView): HTMLElement {
    const choices = view.state.facet(conflictChoices);
    return conflictCard({
      version: this.version,
      place: this.place,
      count: this.count,
      other: choices?.other() ?? '',
      drawIcon: (element, name) => choices?.drawIcon(element, name),
      choose: (side) => choices?.choose(this.version, side),
    });
  }

  /** Its buttons are its own. */
  override ignoreEvent(): boolean {
    return true;
  }
}

interface ConflictCard {
  readonly version: KeptVersion;
  /** which of how many */
  readonly place: number;
  readonly count: number;
  /** who wrote the other version */
  readonly other: string;
  readonly drawIcon: DrawIcon;
  readonly choose: (side: 'mine' | 'theirs') => void;
}

/** Both versions of a line, and the choice between them. */
function conflictCard(card: ConflictCard): HTMLElement {
  const { version, other, choose } = card;
  const title = `Two versions of ${version.title}`;
  // Labelled by its head: the app shows each `aria-label` as a tooltip.
  const id = `atb-conflict-${card.place}`;
  const element = createDiv({
    cls: 'atb-conflict',
    attr: { role: 'group', 'aria-labelledby': id, contenteditable: 'false' },
  });
  const head = element.createDiv({ cls: 'atb-conflict-head' });
  card.drawIcon(head.createSpan({ cls: 'atb-icon', attr: { 'aria-hidden': 'true' } }), 'git-merge');
  head.createSpan({ cls: 'atb-conflict-title', text: title, attr: { id } });
  head.createSpan({ cls: 'atb-conflict-count', text: `${card.place} of ${card.count}` });
  const { yours, theirs } = shown(version);
  const rows = element.createDiv({ cls: 'atb-conflict-rows' });
  addRow(rows, 'Yours', yours, 'Keep yours', () => choose('mine'), true);
  addRow(rows, other, theirs, `Use ${possessive(other)}`, () => choose('theirs'), false);
  element.createDiv({
    cls: 'atb-conflict-note',
    text: 'Yours is in the note. The other is kept until you choose.',
  });
  return element;
}

/** The titles, where they differ; else the lines, since what differs stands elsewhere in them. */
function shown({ yours, theirs }: KeptVersion): { yours: string; theirs: string } {
  const [own, other] = [taskLineParts(yours), taskLineParts(theirs)];
  if (own === undefined || other === undefined || own.title === other.title) {
    return { yours: yours.trim(), theirs: theirs.trim() };
  }
  return { yours: own.title, theirs: other.title };
}

function addRow(
  rows: HTMLElement,
  who: string,
  text: string,
  label: string,
  choose: () => void,
  primary: boolean,
): void {
  const row = rows.createDiv({ cls: 'atb-conflict-row' });
  row.createSpan({ cls: 'atb-conflict-who', text: who });
  row.createSpan({ cls: 'atb-conflict-text', text });
  const button = row.createEl('button', { text: label, attr: { type: 'button' } });
  button.addClass(primary ? 'mod-cta' : 'atb-button');
  button.addEventListener('click', choose);
}

function possessive(name: string): string {
  return `${name}’s`;
}
