import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Catalog } from '../../core/session/bridge-runtime';
import { t } from '../language/text';
import { noteName, plainLine } from '../ui/text';
import type { ContextChip, PromptDraft } from './drafts';

/** The agent's own commands. */
type Commands = NonNullable<Catalog['commands']>;

/** The part of a text that is being completed, and the words typed so far. */
interface Query {
  readonly kind: 'note' | 'command';
  readonly words: string;
  readonly from: number;
  readonly to: number;
}

interface Choice {
  /** path of a note, or name of a command */
  readonly value: string;
  readonly name: string;
  readonly about?: string | undefined;
}

interface CompletionSources {
  /** paths of notes that match some words, the best first */
  readonly notes: (words: string) => readonly string[];
  /** resolves to an empty list if there are none or they can't be fetched */
  readonly commands: () => Promise<Commands>;
}

const LIST_ID = 'atb-completion';

/**
 * Completes a note after an `@`, or a command after a `/` at the start of the text, and handles the
 * keys that choose one.
 * @param hasCommands whether commands can be fetched
 * @param onComplete receives the text with the choice inserted, and the chip to attach, if any
 */
export function useCompletion(
  field: RefObject<HTMLTextAreaElement | null>,
  { text, chips }: Pick<PromptDraft, 'text' | 'chips'>,
  { notes, commands }: CompletionSources,
  hasCommands: boolean,
  onComplete: (text: string, chip?: ContextChip) => void,
) {
  const [query, setQuery] = useState<Query>();
  const [chosen, setChosen] = useState(0);
  /** position of the cursor after a choice was inserted */
  const caret = useRef<number | undefined>(undefined);
  const known = useCommands(commands, query?.kind === 'command');
  const choices = query === undefined ? [] : choicesFor(query, notes, known);
  /** Call this when the text changed or the cursor moved. */
  const updateQuery = ({ value, selectionStart }: HTMLTextAreaElement) => {
    const attached = chips.flatMap(({ kind, path }) => (kind === 'note' ? [noteName(path)] : []));
    const command = hasCommands ? commandQuery(value, selectionStart) : undefined;
    setQuery(command ?? noteQuery(value, selectionStart, attached));
    setChosen(0);
  };
  const insertChoice = ({ value }: Choice) => {
    if (query === undefined) return;
    const isNote = query.kind === 'note';
    const before = text.slice(0, query.from) + (isNote ? `@${noteName(value)}` : `/${value} `);
    const behind = text.slice(query.to);
    onComplete(
      before + (isNote ? behind : behind.trimStart()),
      isNote ? { kind: 'note', path: value } : undefined,
    );
    caret.current = before.length;
    setQuery(undefined);
    field.current?.focus();
  };
  // Setting a field's text moves its cursor to the end.
  useLayoutEffect(() => {
    if (caret.current === undefined) return;
    field.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });
  /** Puts an `@` at the cursor. */
  const startNoteQuery = () => {
    const element = field.current;
    if (element === null) return;
    element.focus();
    const before = element.value.slice(0, element.selectionStart);
    const at = before === '' || /\s$/.test(before) ? '@' : ' @';
    element.setRangeText(at, element.selectionStart, element.selectionEnd, 'end');
    element.dispatchEvent(new Event('input', { bubbles: true }));
  };
  /** @returns whether it handled the key */
  const onKey = (event: KeyboardEvent) => {
    const choice = choices[chosen];
    if (query === undefined || choice === undefined) return false;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    // Enter sends a command that is typed completely.
    if (event.key === 'Enter' && query.kind === 'command' && choice.value === query.words) {
      setQuery(undefined);
      return false;
    }
    if (step !== 0) setChosen((chosen + step + choices.length) % choices.length);
    else if (event.key === 'Enter' || event.key === 'Tab') insertChoice(choice);
    else if (event.key === 'Escape') setQuery(undefined);
    else return false;
    event.preventDefault();
    return true;
  };
  return {
    kind: query?.kind,
    choices,
    chosen,
    look: updateQuery,
    begin: startNoteQuery,
    take: insertChoice,
    onKey,
    attributes: fieldAttributes(choices.length > 0, chosen),
  };
}

/** A field of several lines can't be a combobox; screen readers read the chosen line instead. */
function fieldAttributes(open: boolean, chosen: number) {
  return {
    'aria-autocomplete': 'list' as const,
    'aria-haspopup': 'listbox' as const,
    'aria-controls': open ? LIST_ID : undefined,
    'aria-activedescendant': open ? `${LIST_ID}-${chosen}` : undefined,
  };
}

/** The commands as last fetched; fetched again each time the person starts to type one. */
function useCommands(commands: CompletionSources['commands'], typed: boolean): Commands {
  const [known, setKnown] = useState<Commands>([]);
  useLayoutEffect(() => {
    if (!typed) return;
    let isDisposed = false;
    void commands().then((all) => isDisposed || setKnown(all));
    return () => void (isDisposed = true);
  }, [typed, commands]);
  return known;
}

function choicesFor(
  { kind, words }: Query,
  notes: CompletionSources['notes'],
  commands: Commands,
): readonly Choice[] {
  if (kind === 'command') return matchingCommands(commands, words);
  return notes(words).map((path) => ({ value: path, name: plainLine(path.replace(/\.md$/, '')) }));
}

/** Commands whose name contains the words; those that begin with them come first. */
function matchingCommands(all: Commands, words: string): readonly Choice[] {
  const wanted = words.toLowerCase();
  const at = ({ name }: Commands[number]): number => name.toLowerCase().indexOf(wanted);
  return all
    .filter((one) => at(one) >= 0)
    .sort((a, b) => Math.min(at(a), 1) - Math.min(at(b), 1))
    .map(({ name, description }) => ({
      value: name,
      name: `/${plainLine(name)}`,
      about: description === undefined ? undefined : plainLine(description),
    }));
}

/** The list of choices above the field; the focus stays in the field. */
export function CompletionList({
  completion,
}: {
  readonly completion: ReturnType<typeof useCompletion>;
}) {
  const { kind, choices, chosen, take: insertChoice, onKey } = completion;
  const at = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => at.current?.scrollIntoView({ block: 'nearest' }), [chosen]);
  if (choices.length === 0) return null;
  const label = t(kind === 'command' ? 'conversation.commands' : 'conversation.notes');
  return (
    // Handles keys too, since the list has the focus after somebody used its scroll bar.
    <div
      class="atb-completion"
      role="listbox"
      id={LIST_ID}
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={`${LIST_ID}-${chosen}`}
      onKeyDown={onKey}
    >
      {choices.map((choice, index) => (
        <div
          key={choice.value}
          id={`${LIST_ID}-${index}`}
          ref={index === chosen ? at : null}
          class="atb-completion-option"
          role="option"
          aria-selected={index === chosen}
          // Keeps the focus in the field; touch still scrolls.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => insertChoice(choice)}
        >
          <span>{choice.name}</span>
          {choice.about !== undefined && <small>{choice.about}</small>}
        </div>
      ))}
    </div>
  );
}

/** The first word of a text that begins with `/`, if the cursor is in it. */
export function commandQuery(text: string, cursor: number): Query | undefined {
  const [word] = /^\/\S*/.exec(text) ?? [];
  if (word === undefined || cursor < 1 || cursor > word.length) return undefined;
  return { kind: 'command', words: text.slice(1, cursor), from: 0, to: word.length };
}

/**
 * The words between an `@` and the cursor: a search for a note. An `@` inside a word starts none,
 * nor does one before the name of a note that is already attached.
 * @param attached names of notes
 */
export function noteQuery(
  text: string,
  cursor: number,
  attached: readonly string[],
): Query | undefined {
  const from = text.lastIndexOf('@', cursor - 1);
  if (from < 0 || /[^\s([{"']/.test(text.charAt(from - 1))) return undefined;
  const words = text.slice(from + 1, cursor);
  if (words.length > 60 || /[\n@]|^\s|\s{2}/.test(words)) return undefined;
  const named = attached.some(
    (name) => words.startsWith(name) && !/[\p{L}\p{N}]/u.test(words.charAt(name.length)),
  );
  return named ? undefined : { kind: 'note', words, from, to: cursor };
}
