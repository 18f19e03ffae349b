import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { OTHER_LANGUAGES } from '../../src/obsidian/language/languages';

const FOLDER = join(import.meta.dirname, '../../src/obsidian');

/** Files without texts for the person, each with the reason. */
const NOT_FOR_PEOPLE: Readonly<Record<string, string>> = {
  'adapter/socket-transport.ts': 'faults of a program',
  'adapter/vault-files.ts': 'why the store refuses something: agents are told the same',
  'adapter/vault-store.ts': 'why the store refuses something: agents are told the same',
  'api/plugin-api.ts': 'answers to other plugins',
  'app/diagnostics.ts': 'goes into reports of faults',
  'graph/plan-svg.ts': 'the elements of a picture',
  'link/cli-handlers.ts': 'the command line',
  'tool/tool-calls.ts': 'answers to agents',
};

/** Strings that look like texts of the plugin but aren't. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'adapter/uncaught-errors.ts': ['Something failed unexpectedly.'],
  'app/services.ts': [
    'Reading the boards failed.',
    'Reading the configuration failed.',
    'Sessions on a model could not be opened.',
    'The state of the bridge is not known.',
  ],
  'ask/ask-text.ts': ['ask.{}Question', 'ask.{}Short'],
  'audit/audit-words.ts': ['audit.{}Verdict', 'audit.{}At'],
  'audit/own-audit.ts': ['Old entries of the audit stay.'],
  'board/board-actions.ts': ['chose between two versions of {}'],
  'board/import-export.ts': ['Board'],
  'board/move-boards.tsx': ['The journal of a move could not be read.', 'Agent boards'],
  'board/own-changes.ts': ['board title'],
  'board-view/board-app.tsx': ['Enter', 'Esc'],
  'config/agent-details.tsx': ['ruleAction.{}For'],
  'embed/board-block.tsx': ['embed.{}Of'],
  'graph/plan-drawing.ts': ['finished tasks'],
  'note/reading-pane.ts': ['.atb-mark input'],
  'permission/rule-forms.tsx': ['Projects/**'],
  'permission/rules-panel.tsx': ['Enter Delete Alt+ArrowUp Alt+ArrowDown'],
  'permission/scope-panels.tsx': ['Projects'],
  'permission/try-it.tsx': ['Projects/Note.md'],
  'provider/test-connection.ts': ['Answer with OK.', 'Reads the task board.'],
  'run/run-services.ts': ['Runs could not be read.'],
  'session/session-management.ts': ['OpenCode'],
  'session/session-history.ts': [
    'The past of a session was not read.',
    'OpenCode was not told a title.',
  ],
  'settings/settings-store.ts': ['Conversations'],
  'sidebar/rows.ts': ['in progress'],
  'sidebar/tree.tsx': ['picked stop'],
  'ui/fields.tsx': ['OpenCode'],
  'tool/tool-services.ts': ['Which folders held boards cannot be kept.'],
};

/** Beginnings of texts written for agents or into notes. */
const WRITTEN = [
  '```',
  'Take the board up first',
  'this task',
  'these tasks',
  'Do {} of',
  'With the tool',
  'The person lets you do',
];

/** Source files of the plugin, by name. */
function sources(): readonly (readonly [name: string, text: string])[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')] as const);
}

test('[LANG6] no letter of a text is raised or lowered by the program', () => {
  const changes = /charAt\(0\)\s*\}?\s*\.to(Locale)?(Upper|Lower)Case/;
  expect(sources().flatMap(([name, text]) => (changes.test(text) ? name : []))).toEqual([]);
});

test('[LANG1] every text that the plugin shows stands in the catalogue', () => {
  const all = sources();
  const found = all
    .filter(([name]) => !name.startsWith('language/') && !(name in NOT_FOR_PEOPLE))
    .flatMap(([name, source]) =>
      textsIn(parsed(name, source))
        .filter((text) => !ELSEWHERE[name]?.includes(text))
        .filter((text) => !WRITTEN.some((start) => text.startsWith(start)))
        .map((text) => `${name}: ${text}`),
    );
  expect(all.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});

test('[LANG1] the search sees text in elements, attributes, strings and templates', () => {
  const code = `const a = <p title="Open note">Not here {n}</p>; notify(\`\${n} tasks left\`); b('Move to…');
    const c = <i className="atb-row is-done" role="img" />; t('board.moveTo'); key === 'Enter';
    const d = names.join(', '); pick(\`\${n} · \${o ? 'on' : 'off'}\`, o ? \`“\${n}”\` : 'plan');
    const e = [n, o ? 'changed' : undefined];`;
  expect(textsIn(parsed('a.tsx', code))).toEqual([
    'Open note',
    'Not here',
    '{} tasks left',
    'Move to…',
    ', ',
    'on',
    'off',
    'plan',
    'changed',
  ]);
});

/** Files whose sentences may reach a view. */
const SAID_BY_CORE = [
  ...['core/config', 'core/model', 'node/programs', 'core/session/connection.ts'],
  ...[
    'core/session/connection-manager.ts',
    'core/session/requests.ts',
    'core/context/compaction.ts',
  ],
  ...[
    'core/permission/path-pattern.ts',
    'core/permission/path-resolver.ts',
    'core/error-handler.ts',
  ],
];

/** Sentences of these files that programs tell each other. */
const NOT_TOLD = ['No welcome.', 'Nothing was heard for 25 s.'];

test('[LANG7] each sentence that the core says to a person has a text in each language', () => {
  const said = stringsOf('src').filter(
    ([name, text]) =>
      SAID_BY_CORE.some((start) => name.startsWith(start)) &&
      /^[\p{Lu}"“].* .*\.$/su.test(text) &&
      !NOT_TOLD.includes(text),
  );
  for (const { sentences = {}, configProblem = {} } of Object.values(OTHER_LANGUAGES).map(
    areasOf,
  )) {
    const keys = Object.keys({ ...sentences, ...configProblem });
    const shapes = keys.map(shapeOf);
    const isKnown = (text: string): boolean =>
      shapes.some((shape) => shape.test(text)) || keys.some((key) => key.endsWith(text));
    expect(said.filter(([, text]) => !isKnown(text))).toEqual([]);
  }
  expect(said.length).toBeGreaterThan(100);
});

test('[LANG7] each text of a sentence is of one that the source says', () => {
  const source = stringsOf('src')
    .map(([, text]) => text)
    .join('\n');
  for (const { sentences = {}, configProblem = {} } of Object.values(OTHER_LANGUAGES).map(
    areasOf,
  )) {
    const parts = Object.keys({ ...sentences, ...configProblem }).flatMap((text) =>
      text.split(/\{\w+\}| or |(?<=[.:]) /).map((part) => part.replace(/^\W+|[^\w"]+$/g, '')),
    );
    expect(parts.filter((part) => !source.includes(part))).toEqual([]);
  }
});

const areasOf = (messages: (typeof OTHER_LANGUAGES)[string]) => messages ?? {};

/** Matches an English text whose values are `{}`. */
function shapeOf(english: string): RegExp {
  const parts = english.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'su');
}

/** All strings and templates below a folder, with their file's path in it. */
function stringsOf(folder: string): (readonly [name: string, text: string])[] {
  const root = join(import.meta.dirname, '../..', folder);
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
    const name = path.replaceAll('\\', '/');
    if (!/\.tsx?$/.test(name)) return [];
    const found: (readonly [string, string])[] = [];
    const visit = (node: ts.Node): void => {
      const text = textOf(node);
      if (text !== undefined) found.push([name, text]);
      if (!ts.isImportDeclaration(node) && !ts.isTypeNode(node)) ts.forEachChild(node, visit);
    };
    visit(parsed(name, readFileSync(join(root, path), 'utf8')));
    return found;
  });
}

function parsed(name: string, code: string): ts.SourceFile {
  return ts.createSourceFile(name, code, ts.ScriptTarget.Latest, true);
}

/** Attributes and properties whose values only programs read. */
const NOT_SHOWN =
  /^(shown|class(Name)?|cls|key|type|kind|role|id|icon|href|rel|style|viewBox|d|transform|dir|data-.*)$/;

const OWN_CLASS =
  /^(atb|is|mod|has|cm|HyperMD|markdown|workspace|clickable|setting|menu|nav|tree)-/;

function textsIn(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isNoText(node)) return;
    const text = textOf(node);
    if (text !== undefined && (ts.isJsxText(node) ? /\p{L}/u.test(text) : readsAsText(text))) {
      found.push(text);
    } else if (isWordOfText(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * A lone word, as in `a ? 'on' : 'off'`, that is part of a template with punctuation or that may be
 * absent.
 */
function isWordOfText(node: ts.Node): node is ts.StringLiteral {
  const { parent: choice } = node;
  if (!ts.isStringLiteral(node) || !/^(?!true$)[a-z]{2,}$/.test(node.text)) return false;
  if (!ts.isConditionalExpression(choice)) return false;
  const other = node === choice.whenTrue ? choice.whenFalse : choice.whenTrue;
  if (ts.isIdentifier(other) && other.text === 'undefined') return true;
  const around = ts.isTemplateSpan(choice.parent) ? choice.parent.parent : undefined;
  return [choice.whenTrue, choice.whenFalse, around].some(
    (one) => one !== undefined && /[·“”]/u.test(textOf(one) ?? ''),
  );
}

/** Nodes that hold no text for people, whatever their strings look like. */
function isNoText(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return true;
  if (ts.isJsxAttribute(node) || ts.isPropertyAssignment(node)) {
    return NOT_SHOWN.test(node.name.getText().replace(/'/g, ''));
  }
  if (ts.isThrowStatement(node)) return true;
  return ts.isBinaryExpression(node) && /^[!=]==$/.test(node.operatorToken.getText());
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isJsxText(node)) return node.text.trim();
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('');
}

/** Key names, alone or in a chord, and selectors. */
const NO_WORDS =
  /^((Mod|Alt|Shift|Ctrl)(\+|$))*(\w|Enter|Escape|Esc|Home|End|Page(Up|Down)|Arrow\w+|F\d+)?$|\[|^\w+(, \w+)+( \w+)?(, \w+)*$/;

/** Whether it has two words, is a capitalised word, or is the separator of a list. */
function readsAsText(text: string): boolean {
  if (text === ', ') return true;
  const words = text.replace(/\{\}/g, ' ').trim();
  if (NO_WORDS.test(words)) return false;
  if (words === '' || words.split(/\s+/).every((word) => OWN_CLASS.test(word))) return false;
  return (
    /^“?\p{Lu}[\p{Ll}’]/u.test(words) ||
    /\p{L}{2,}[,.:;]? [\p{L}“]/u.test(words) ||
    /\p{L}…$/u.test(words)
  );
}
