import { Icon } from '../part/icon';
import type { ContextChip } from './drafts';

/** What goes with the words: chips that can be taken off, and the note at hand to put on. */
export function ContextChips(props: {
  readonly chips: readonly ContextChip[];
  /** what the person has before them; offered unless it is on already */
  readonly before: ContextChip | undefined;
  readonly onAdd: (chip: ContextChip) => void;
  readonly onRemove: (chip: ContextChip) => void;
}) {
  const { chips, before } = props;
  const offered =
    before !== undefined &&
    !chips.some((chip) => chip.kind === before.kind && chip.path === before.path);
  if (chips.length === 0 && !offered) return null;
  return (
    <div class="atb-chips">
      {chips.map((chip) => (
        <span class="atb-chip" key={`${chip.kind} ${chip.path}`} title={chip.path}>
          <Icon name={chip.kind === 'note' ? 'file' : 'text-select'} />
          {chipWords(chip)}
          <button
            type="button"
            class="clickable-icon"
            aria-label={`Remove ${chipWords(chip)}`}
            onClick={() => props.onRemove(chip)}
          >
            <Icon name="x" />
          </button>
        </span>
      ))}
      {offered && (
        <button type="button" class="atb-chip atb-chip-offer" onClick={() => props.onAdd(before)}>
          <Icon name="plus" />
          {chipWords(before)}
        </button>
      )}
    </div>
  );
}

function chipWords({ kind, path }: ContextChip): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
  return kind === 'note' ? name : `Selection in ${name}`;
}
