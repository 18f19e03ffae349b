import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Catalog } from '../../core/session/bridge-runtime';
import { t } from '../language/text';
import { noteName, plainLine } from '../ui/text';
import type { ContextChip, PromptDraft } from './drafts';

/** Commands of the agent's own. */
type Commands = NonNullable<Catalog['commands']>;

/** Where something is named in a text, and with which words. */
interface Query {
  readonly kind: 'note' | 'command';
  readonly words: string;
  readonly from: number;
  readonly to: number;
}

interface Choice {
  /** a path, or the name of a command */
  readonly value: string;
  readonly name: string;
  readonly about?: string | undefined;
}

interface CompletionSources {
  /** paths that fit some words, the best first */
  readonly notes: (words: string) => readonly string[];
  /** resolves empty where there are none, or that can't be known */
  readonly commands: () => Promise<Commands>;
}

const LIST = 'atb-completion';

/**
 * What fits behind an `@`, or a `/` that the text begins with, and the keys that choose one.
 * @param hasCommands whether commands can be asked for
 * @param taken told the text with what was chosen in it, and what is to go along
 */
export function useCompletion(
  field: RefObject<HTMLTextAreaElement | null>,
  { text, chips }: Pick<PromptDraft, 'text' | 'chips'>,
  { notes, commands }: CompletionSources,
  hasCommands: boolean,
  taken: (text: string, chip?: ContextChip) => void,
) {
  const [query, setQuery] = useState<Query>();
  const [chosen, setChosen] = useState(0);
  /** where the cursor goes once something was taken */
  const caret = useRef<number | undefined>(undefined);
  const known = useCommands(commands, query?.kind === 'command');
  const choices = query === undefined ? [] : choicesFor(query, notes, known);
  /** The text changed, or the cursor moved. */
  const look = ({ value, selectionStart }: HTMLTextAreaElement) => {
    const attached = chips.flatMap(({ kind, path }) => (kind === 'note' ? [noteName(path)] : []));
    const command = hasCommands ? commandQuery(value, selectionStart) : undefined;
    setQuery(command ?? noteQuery(value, selectionStart, attached));
    setChosen(0);
  };
  const take = ({ value }: Choice) => {
    if (query === undefined) return;
    const isNote = query.kind === 'note';
    const before = text.slice(0, query.from) + (isNote ? `@${noteName(value)}` : `/${value} `);
    const behind = text.slice(query.to);
    taken(
      before + (isNote ? behind : behind.trimStart()),
      isNote ? { kind: 'note', path: value } : undefined,
    );
    caret.current = before.length;
    setQuery(undefined);
    field.current?.focus();
  };
  // A field whose text is set has its cursor at the end.
  useLayoutEffect(() => {
    if (caret.current === undefined) return;
    field.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });
  /** Puts an `@` at the cursor. */
  const begin = () => {
    const element = field.current;
    if (element === null) return;
    element.focus();
    const before = element.value.slice(0, element.selectionStart);
    const at = before === '' || /\s$/.test(before) ? '@' : ' @';
    element.setRangeText(at, element.selectionStart, element.selectionEnd, 'end');
    element.dispatchEvent(new Event('input', { bubbles: true }));
  };
  /** @returns whether the key was its own */
  const onKey = (event: KeyboardEvent) => {
    const choice = choices[chosen];
    if (query === undefined || choice === undefined) return false;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    // A command that is typed to its end is sent.
    if (event.key === 'Enter' && query.kind === 'command' && choice.value === query.words) {
      setQuery(undefined);
      return false;
    }
    if (step !== 0) setChosen((chosen + step + choices.length) % choices.length);
    else if (event.key === 'Enter' || event.key === 'Tab') take(choice);
    else if (event.key === 'Escape') setQuery(undefined);
    else return false;
    event.preventDefault();
    return true;
  };
  const open = choices.length > 0;
  // A field of several lines can be no combobox; a list that opens is told by its chosen line.
  const attributes = {
    'aria-autocomplete': 'list' as const,
    'aria-haspopup': 'listbox' as const,
    'aria-controls': open ? LIST : undefined,
    'aria-activedescendant': open ? `${LIST}-${chosen}` : undefined,
  };
  return { kind: query?.kind, choices, chosen, look, begin, take, onKey, attributes };
}

/** The commands as they were told last; asked for anew each time one begins to be typed. */
function useCommands(commands: CompletionSources['commands'], typed: boolean): Commands {
  const [known, setKnown] = useState<Commands>([]);
  useLayoutEffect(() => {
    if (!typed) return;
    let isLeft = false;
    void commands().then((all) => isLeft || setKnown(all));
    return () => void (isLeft = true);
  }, [typed, commands]);
  return known;
}

function choicesFor(
  { kind, words }: Query,
  notes: CompletionSources['notes'],
  commands: Commands,
): readonly Choice[] {
  if (kind === 'command') return fittingCommands(commands, words);
  return notes(words).map((path) => ({ value: path, name: plainLine(path.replace(/\.md$/, '')) }));
}

/** Those that begin with the words first. */
function fittingCommands(all: Commands, words: string): readonly Choice[] {
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

/** The lines above the field; the field keeps the keyboard. */
export function CompletionList({ of }: { readonly of: ReturnType<typeof useCompletion> }) {
  const { kind, choices, chosen, take, onKey } = of;
  const at = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => at.current?.scrollIntoView({ block: 'nearest' }), [chosen]);
  if (choices.length === 0) return null;
  const label = t(kind === 'command' ? 'conversation.commands' : 'conversation.notes');
  return (
    // Of use with the keyboard as well once somebody took hold of its scroll bar.
    <div
      class="atb-completion"
      role="listbox"
      id={LIST}
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={`${LIST}-${chosen}`}
      onKeyDown={onKey}
    >
      {choices.map((choice, index) => (
        <div
          key={choice.value}
          id={`${LIST}-${index}`}
          ref={index === chosen ? at : null}
          class="atb-completion-option"
          role="option"
          aria-selected={index === chosen}
          // The field keeps the keyboard; a finger that moves scrolls.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => take(choice)}
        >
          <span>{choice.name}</span>
          {choice.about !== undefined && <small>{choice.about}</small>}
        </div>
      ))}
    </div>
  );
}

/** The first word of a text that begins with `/`, while the cursor stands in it. */
export function commandQuery(text: string, cursor: number): Query | undefined {
  const [word] = /^\/\S*/.exec(text) ?? [];
  if (word === undefined || cursor < 1 || cursor > word.length) return undefined;
  return { kind: 'command', words: text.slice(1, cursor), from: 0, to: word.length };
}

/**
 * The words behind an `@` that the cursor stands in: a note that is looked for. An `@` inside of a word
 * begins none, nor does one before the name of a note that is attached already.
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
