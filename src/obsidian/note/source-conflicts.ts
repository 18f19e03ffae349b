import { Facet, StateEffect, StateField, type EditorState, type Range } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';
import { sameLine, type KeptVersion } from '../../core/board/merge/kept-versions';
import { taskLineParts } from '../../core/board/merge/task-line-parts';
import type { DrawIcon } from '../part/icon';
import { conflictCard } from './conflict-card';

/** A line with two versions; `at` is the offset of the line. */
export interface Conflict {
  readonly version: KeptVersion;
  readonly at: number;
}

export const addConflicts = StateEffect.define<readonly Conflict[]>({
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
export const conflicts = StateField.define<readonly Conflict[]>({
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
