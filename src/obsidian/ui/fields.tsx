import type { ComponentChildren, Ref } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Catalog } from '../../core/session/bridge-runtime';
import { WireError } from '../../protocol/wire-error';
import { Button } from './icon';
import { plainLine } from './text';
import { t } from '../language/text';

/** A part of a form under its name. */
export function Field(props: {
  readonly name: string;
  readonly words?: string | undefined;
  readonly problem?: string | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <label class="atb-form-field">
      <span>{props.name}</span>
      {props.children}
      {props.words !== undefined && <span class="atb-form-words">{plainLine(props.words)}</span>}
      <span class="atb-form-problem" role="status">
        {props.problem ?? ''}
      </span>
    </label>
  );
}

export type SelectOptions = readonly (readonly [value: string, words: string])[];

/** A dropdown; `name` is the accessible name if it has no visible label. */
export function Select(props: {
  readonly value: string;
  readonly options: SelectOptions;
  readonly onChange: (value: string) => void;
  readonly name?: string;
  readonly class?: string;
  readonly disabled?: boolean;
}) {
  return (
    <select
      class={props.class === undefined ? 'dropdown' : `dropdown ${props.class}`}
      aria-label={props.name}
      value={props.value}
      disabled={props.disabled ?? false}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    >
      {props.options.map(([value, words]) => (
        <option value={value} key={value} selected={value === props.value}>
          {plainLine(words)}
        </option>
      ))}
    </select>
  );
}

/** A text field that accepts any text and suggests the known ones. */
export function SuggestInput(props: {
  readonly value: string;
  readonly known: readonly string[];
  readonly placeholder: string;
  readonly onInput: (value: string) => void;
  /** the field got the focus */
  readonly onEnter?: () => void;
  readonly name?: string;
}) {
  const [list] = useState(() => `atb-${crypto.randomUUID()}`);
  return (
    <>
      <input
        type="text"
        list={list}
        value={props.value}
        placeholder={props.placeholder}
        aria-label={props.name}
        maxLength={256}
        spellcheck={false}
        onFocus={props.onEnter}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <datalist id={list}>
        {props.known.map((one) => (
          <option value={one} key={one} />
        ))}
      </datalist>
    </>
  );
}

/** A search field that looks like the app's own; its cross, or Esc, empties it. */
export function SearchField(props: {
  readonly value: string;
  readonly label: string;
  readonly class: string;
  readonly field?: Ref<HTMLInputElement>;
  readonly onText: (text: string) => void;
  /** Receives all other keys; returns true if it handled one. */
  readonly onKey?: (event: KeyboardEvent) => boolean;
}) {
  const { value, label, onText, onKey } = props;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Escape' && value !== '') onText('');
    else if (onKey?.(event) !== true) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class={`search-input-container atb-search ${props.class}`}>
      <input
        type="search"
        ref={props.field ?? null}
        value={value}
        placeholder={label}
        aria-label={label}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <span
        class="search-input-clear-button"
        aria-hidden="true"
        // Keeps the focus in the field.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => onText('')}
      />
    </div>
  );
}

/** The buttons at the end of a form. */
export function FormButtons(props: {
  readonly yes: string;
  readonly no?: string;
  readonly disabled?: boolean;
  readonly onYes: () => void;
  readonly onNo: () => void;
  /** a button that removes the form's object */
  readonly remove?: { readonly label: string; readonly onClick: () => void } | undefined;
}) {
  const { remove } = props;
  return (
    <div class="atb-buttons">
      {remove !== undefined && <Button kind="deny" words={remove.label} onClick={remove.onClick} />}
      <Button kind="quiet" words={props.no ?? t('common.cancel')} onClick={props.onNo} />
      <Button
        kind="primary"
        words={props.yes}
        disabled={props.disabled ?? false}
        onClick={props.onYes}
      />
    </div>
  );
}

/** Agents that can plan, and models; empty until OpenCode has answered, or if it doesn't. */
interface CatalogChoices {
  readonly agents: readonly string[];
  /** descriptions of agents, by name, if OpenCode sends them */
  readonly about: ReadonlyMap<string, string>;
  /** names of agents for a person, by name */
  readonly titles: ReadonlyMap<string, string>;
  readonly models: SelectOptions;
}

const NO_CHOICES: CatalogChoices = {
  ...{ agents: [], about: new Map(), titles: new Map(), models: [] },
};

export function useCatalog(catalog: () => Promise<Catalog>): CatalogChoices {
  const [choices, setChoices] = useState<CatalogChoices>(NO_CHOICES);
  useLayoutEffect(() => {
    let isDisposed = false;
    catalog().then(
      ({ agents, models }) => {
        if (isDisposed) return;
        const primary = agents.filter(({ mode }) => mode !== 'subagent');
        setChoices({
          agents: primary.map(({ name }) => name),
          about: new Map(primary.map(({ name, description = '' }) => [name, description])),
          titles: new Map(primary.map(({ name, title = name }) => [name, title])),
          models: models.map(({ id, name }) => [id, name ?? id] as const),
        });
      },
      (error: unknown) => {
        // Names can still be typed; starting reports what is wrong with the connection.
        if (!(error instanceof WireError)) throw error;
      },
    );
    return () => {
      isDisposed = true;
    };
  }, [catalog]);
  return choices;
}

/** The agent that plans, and does the tasks that name no other. */
export function AgentField(props: {
  readonly catalog: CatalogChoices;
  readonly agent: string;
  /** the plan already has its agent */
  readonly fixed: boolean;
  readonly problem: string | undefined;
  readonly onChange: (agent: string) => void;
}) {
  const { agents, about, titles } = props.catalog;
  const { agent, onChange } = props;
  // A person who is in the text field when OpenCode answers stays in it.
  const [entered, setEntered] = useState(false);
  const known = !entered && agents.length > 0 && (agent === '' || agents.includes(agent));
  return (
    <Field name={t('ui.agent')} words={about.get(agent) || undefined} problem={props.problem}>
      {known || props.fixed ? (
        <Select
          value={agent}
          disabled={props.fixed}
          options={(props.fixed ? [agent] : agents).map(
            (name) => [name, titles.get(name) ?? name] as const,
          )}
          onChange={onChange}
        />
      ) : (
        <SuggestInput
          value={agent}
          known={agents}
          placeholder="build"
          onInput={onChange}
          onEnter={() => setEntered(true)}
        />
      )}
    </Field>
  );
}

/** An agent or a model of the catalog, or none: then the agent's program chooses. */
export function CatalogField(props: {
  readonly name: string;
  /** empty: the agent's program chooses */
  readonly value: string;
  readonly known: SelectOptions;
  /** name of the program, if known */
  readonly host?: string | undefined;
  /** description of the chosen value */
  readonly words?: string | undefined;
  readonly onChange: (value: string) => void;
}) {
  const { name, value, known, host, words, onChange } = props;
  const none = host === undefined ? t('ui.programsChoice') : t('ui.choiceOf', { host });
  // Offers the value from the settings even if the program doesn't know it or has not answered yet.
  const own = value === '' || known.some(([id]) => id === value) ? [] : [[value, value] as const];
  return (
    <Field {...{ name, words }}>
      <Select value={value} options={[['', none], ...own, ...known]} onChange={onChange} />
    </Field>
  );
}
