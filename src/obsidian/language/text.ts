import type { ComponentChildren } from 'preact';
import { getLanguage } from 'obsidian';
import type { SaidSentence, Sentence } from '../../core/fault/sentence';
import { ENGLISH } from './english';
import { OTHER_LANGUAGES } from './languages';
import type { Message, TextOf } from './message';

type Areas = typeof ENGLISH;

/** `area.name`, as in the English catalogue. */
export type TextKey = {
  [Area in keyof Areas]: `${Area}.${keyof Areas[Area] & string}`;
}[keyof Areas];

type MessageOf<Key extends TextKey> = Key extends `${infer Area extends keyof Areas}.${infer Name}`
  ? Areas[Area][Name & keyof Areas[Area]]
  : never;

/** A value for each placeholder; `count` of a message with plural forms is a number. */
type ValuesOf<Text, Value> = Text extends string
  ? Record<Names<Text>, Value>
  : Record<Exclude<Names<TextOf<Text>>, 'count'>, Value> & { readonly count: number };

type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;

type Arguments<Key extends TextKey, Value> = keyof ValuesOf<MessageOf<Key>, Value> extends never
  ? []
  : [values: ValuesOf<MessageOf<Key>, Value>];

interface Language {
  /** Obsidian's code: `en`, `ja` */
  readonly code: string;
  readonly messages: Readonly<Record<string, Readonly<Record<string, Message>> | undefined>>;
  plurals?: Intl.PluralRules;
}

const english: Language = { code: 'en', messages: ENGLISH };
/** Obsidian reloads its plugins when the person chooses another language. */
const chosen = languageOf(getLanguage());

/** The language of the texts that are shown. */
export const languageCode = chosen.code;

/**
 * A text in the app's language, or in English if that language lacks it.
 * @param values values of the placeholders; `count` also selects the plural form
 */
export function t<Key extends TextKey>(
  key: Key,
  ...[values]: Arguments<Key, string | number>
): string {
  return parts(key, (values ?? {}) as Values<string | number>).join('');
}

/** Words a sentence that the core returns as a key with values. */
export function said({ key, values }: Sentence): string {
  const inner = Object.entries(values).map(([name, value]) => {
    const words = typeof value === 'object' ? sentenceText(value) : value;
    return [name, words] as const;
  });
  return parts(key, Object.fromEntries(inner)).join('');
}

/** What a fault says, in the app's language where the core returns it as a value. */
export function faultText({ message, said: value }: SaidFault): string {
  return sentenceText([message, value]);
}

/** Words what `sentence` returns. */
export function sentenceText([words, value]: SaidSentence): string {
  return value === undefined ? translated(words) : said(value);
}

/** Sentences whose keys are their English texts, those that may contain others first. */
type SentenceArea = 'sentences' | 'configProblem';

const patterns = new Map<string, readonly (readonly [pattern: RegExp, text: string])[]>();

/**
 * A sentence that the core, an engine or another program wrote in English, in the app's language:
 * found by its English form, since it may be stored or come from a program. Other texts, as those
 * of a model, are returned as they are, and so is what stands for `{words}`.
 */
export function translated(english: string, area: SentenceArea = 'sentences'): string {
  let known = patterns.get(area);
  if (known === undefined) patterns.set(area, (known = sentencePatterns(area)));
  for (const [pattern, text] of known) {
    const found = pattern.exec(english);
    if (found === null) continue;
    const values = Object.entries(found.groups ?? {}).map(
      ([name, one]) => [name, name === 'words' ? one : translated(one, area)] as const,
    );
    return filled(text, Object.fromEntries(values), chosen).join('');
  }
  return english;
}

function sentencePatterns(area: SentenceArea) {
  const { messages } = chosen;
  const coded = (one: 'runSaid' | 'storeFault' | 'limit' | 'protectedPlace') =>
    Object.entries(ENGLISH[one]).map(([name, words]) => [words, messages[one]?.[name]] as const);
  const own = Object.entries(messages[area] ?? {});
  const all =
    area === 'configProblem'
      ? own
      : [
          ...[...coded('runSaid'), ...own, ...coded('storeFault')],
          ...[...coded('limit'), ...coded('protectedPlace')],
        ];
  return all.flatMap(([words, text]) => {
    if (typeof words !== 'string' || typeof text !== 'string') return [];
    const parts = words.split(/\{(\w+)\}/);
    const pattern = parts.map((part, at) => {
      if (at % 2 === 0) return literal(part);
      return parts.indexOf(part) < at ? `\\k<${part}>` : `(?<${part}>.*?)`;
    });
    return [[new RegExp(`^${pattern.join('')}$`, 'su'), text] as const];
  });
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

interface SaidFault {
  readonly message: string;
  readonly said?: Sentence | undefined;
}

/** What went wrong, as `faultText`. @param error what was thrown */
export function errorText(error: unknown): string {
  return error instanceof Error ? faultText(error) : String(error);
}

/** As `t`, for a view: `values` may be elements. */
export function tNodes<Key extends TextKey>(
  key: Key,
  ...[values]: Arguments<Key, ComponentChildren>
): readonly ComponentChildren[] {
  return parts(key, (values ?? {}) as Values<ComponentChildren>);
}

/** Separates the entries of a list outside a sentence: ", ". */
export const COMMA = t('words.comma');

type Values<Value> = Readonly<Record<string, Value>>;

function parts<Value>(key: string, values: Values<Value>): (Value | string)[] {
  const [area = '', name = ''] = key.split('.');
  const translated = chosen.messages[area]?.[name];
  const language = translated === undefined ? english : chosen;
  const message = translated ?? english.messages[area]?.[name] ?? key;
  return filled(form(message, language, values['count']), values, language);
}

function filled<Value>(text: string, values: Values<Value>, language: Language) {
  if (!text.includes('{')) return [text];
  return text
    .split(/\{(\w+)\}/)
    .map((part, at) => (at % 2 === 0 ? part : shown(values[part] ?? `{${part}}`, language)));
}

/** The form of a message for `count`. */
function form(message: Message, language: Language, count: unknown): string {
  if (typeof message === 'string') return message;
  language.plurals ??= new Intl.PluralRules(language.code);
  return message[language.plurals.select(Number(count))] ?? message.other;
}

/**
 * Characters that change the writing direction. In a name they would affect the surrounding text
 * too.
 */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/gu;

/** A whole number as the app's language writes it: "999", "1,000". */
export function figure(count: number): string {
  return numberWords(count, chosen);
}

/** Removes direction characters from strings and formats numbers; returns elements unchanged. */
function shown<Value>(value: Value, language: Language): Value | string {
  if (typeof value === 'string') return value.replace(TURNS, ' ');
  return typeof value === 'number' ? numberWords(value, language) : value;
}

function numberWords(value: number, { code }: Language): string {
  // Creating a formatter loads language tables, which takes longer than everything else here.
  return value < 1_000 ? String(value) : value.toLocaleString(code);
}

function languageOf(code: string): Language {
  const messages = OTHER_LANGUAGES[code];
  return messages === undefined ? english : { code, messages };
}
