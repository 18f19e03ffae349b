import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { noteQuery, type NoteQuery } from './note-query';

/** The notes that fit what stands behind an `@`, and the keys that choose one. */
export interface NotePicker {
  readonly notes: readonly string[];
  readonly chosen: number;
  /** The text changed, or the cursor moved. */
  readonly look: (field: HTMLTextAreaElement) => void;
  /** Puts an `@` at the cursor. */
  readonly begin: () => void;
  readonly take: (path: string) => void;
  /** @returns whether the key was its own */
  readonly onKey: (event: KeyboardEvent) => boolean;
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

const LIST = 'atb-note-list';

/** @param taken told the note, and the text without the words that looked for it */
export function useNotePicker(
  field: RefObject<HTMLTextAreaElement | null>,
  text: string,
  find: (words: string) => readonly string[],
  taken: (path: string, text: string) => void,
): NotePicker {
  const [query, setQuery] = useState<NoteQuery | undefined>();
  const [chosen, setChosen] = useState(0);
  /** where the cursor goes once a note was taken */
  const caret = useRef<number | undefined>(undefined);
  const notes = query === undefined ? [] : find(query.words);
  const look = ({ value, selectionStart }: HTMLTextAreaElement) => {
    setQuery(noteQuery(value, selectionStart));
    setChosen(0);
  };
  const take = (path: string) => {
    if (query === undefined) return;
    taken(path, text.slice(0, query.from) + text.slice(query.to));
    caret.current = query.from;
    setQuery(undefined);
    field.current?.focus();
  };
  // A field whose text is set has its cursor at the end.
  useLayoutEffect(() => {
    if (caret.current === undefined) return;
    field.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });
  const begin = () => {
    const element = field.current;
    if (element === null) return;
    element.focus();
    const before = element.value.slice(0, element.selectionStart);
    element.setRangeText(
      before === '' || /\s$/.test(before) ? '@' : ' @',
      element.selectionStart,
      element.selectionEnd,
      'end',
    );
    element.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const onKey = (event: KeyboardEvent) => {
    const note = notes[chosen];
    if (note === undefined) return false;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setChosen((chosen + step + notes.length) % notes.length);
    else if (event.key === 'Enter' || event.key === 'Tab') take(note);
    else if (event.key === 'Escape') setQuery(undefined);
    else return false;
    event.preventDefault();
    return true;
  };
  const open = notes.length > 0;
  const attributes = {
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': String(open),
    'aria-controls': open ? LIST : undefined,
    'aria-activedescendant': open ? `${LIST}-${chosen}` : undefined,
  };
  return { notes, chosen, look, begin, take, onKey, attributes };
}

/** The notes above the field; the field keeps the keyboard. */
export function NoteList({ picker }: { readonly picker: NotePicker }) {
  const { notes, chosen, take } = picker;
  const at = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => at.current?.scrollIntoView({ block: 'nearest' }), [chosen]);
  if (notes.length === 0) return null;
  return (
    <div class="atb-note-list" role="listbox" id={LIST} aria-label="Notes">
      {notes.map((path, index) => (
        <div
          key={path}
          id={`${LIST}-${index}`}
          ref={index === chosen ? at : null}
          class="atb-note-option"
          role="option"
          aria-selected={index === chosen}
          onPointerDown={(event) => {
            event.preventDefault();
            take(path);
          }}
        >
          {path.replace(/\.md$/, '')}
        </div>
      ))}
    </div>
  );
}
