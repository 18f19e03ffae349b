import { checkShape } from './check-shape';
import type { ConfigFolder } from './config-folder';
import { fileProblem, problemAt, type ConfigProblem } from './config-problem';
import { skillSchema, type Config } from './config-schema';
import { readMatter } from './config-text';
import { resolveInside, originOf, type Layer } from './config-layer';

export interface Skill {
  readonly name: string;
  /** without it, OpenCode offers the skill to no agent */
  readonly description: string | undefined;
  readonly file: string;
  readonly content: string;
}

/** The state while a configuration is loaded. */
export interface ConfigLoadState {
  readonly layers: readonly Layer[];
  readonly own: ConfigFolder;
  readonly personal: ConfigFolder | undefined;
  readonly problems: ConfigProblem[];
}

/**
 * All skills. If several have the same name, OpenCode's choice is undefined; here the last one
 * counts.
 */
export async function loadSkills(
  config: Config,
  reading: ConfigLoadState,
): Promise<readonly Skill[]> {
  const { own, personal, problems } = reading;
  const files = (await skillFilesBelow(own, ['.claude/skills', '.agents/skills'])).map(
    (path) => [own, path] as const,
  );
  if (personal)
    files.push(
      ...(await skillFilesBelow(personal, ['skill', 'skills'])).map(
        (path) => [personal, path] as const,
      ),
    );
  const folders = ['.opencode/skill', '.opencode/skills', ...(await namedFolders(config, reading))];
  files.push(...(await skillFilesBelow(own, folders)).map((path) => [own, path] as const));
  const found = new Map<string, Skill>();
  const read = new Set<string>();
  for (const [folder, path] of files) {
    if (read.size === read.add(folder.nameOf(path)).size) continue;
    const skill = await readSkill(folder, path, problems);
    if (skill === undefined) continue;
    const other = found.get(skill.name);
    if (other !== undefined) {
      const message = `is called "${skill.name}" as ${other.file} is: which one counts is left to chance.`;
      problems.push(fileProblem(skill.file, 'warning', message, 'Give one of them another name.'));
    }
    found.set(skill.name, skill);
  }
  return [...found.values()];
}

/** Skill folders named in the configuration. */
async function namedFolders(config: Config, reading: ConfigLoadState): Promise<readonly string[]> {
  const { own, layers, problems } = reading;
  const folders: string[] = [];
  for (const [at, named] of (config.skills?.paths ?? []).entries()) {
    const folder = resolveInside('', named);
    const origin = originOf(layers, ['skills', 'paths', at]);
    const wrong = (message: string, fix: string): void => {
      if (origin)
        problems.push(problemAt(origin, ['skills', 'paths', at], 'warning', message, fix));
    };
    if (folder === undefined) {
      wrong(
        `"${named}" is outside of the vault: OpenCode reads it, here it is not read.`,
        'Move it into the vault.',
      );
    } else if ((await own.filesBelow(folder)).length === 0) {
      wrong(`There is nothing in a folder "${named}".`, 'Correct the path, or remove it.');
    } else folders.push(folder);
  }
  return folders;
}

async function skillFilesBelow(
  folder: ConfigFolder,
  roots: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const root of roots) {
    // In its own folders, OpenCode ignores hidden ones.
    const isOwn = !/^\.(?:claude|agents)\//.test(root);
    const paths = await folder.filesBelow(root);
    found.push(...paths.filter((path) => !isOwn || !path.slice(root.length).includes('/.')));
  }
  return found.filter((path) => /\/skill\.md$/i.test(path));
}

/** Whether this is a valid name for a skill. Agents created here follow the same rule. */
export function isValidSkillName(name: string): boolean {
  return NAME.test(name) && name.length <= MAX_SKILL_NAME;
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
export const MAX_SKILL_NAME = 64;
export const MAX_DESCRIPTION = 1024;

async function readSkill(
  folder: ConfigFolder,
  path: string,
  problems: ConfigProblem[],
): Promise<Skill | undefined> {
  const file = folder.nameOf(path);
  const report = (one: ConfigProblem): void => void problems.push(one);
  if (!path.endsWith('/SKILL.md')) {
    report(
      fileProblem(file, 'warning', 'is not read by OpenCode.', 'Call it SKILL.md, in capitals.'),
    );
    return undefined;
  }
  const text = await folder.read(path, 'skill');
  if (text === undefined) return undefined;
  const read = readMatter(text);
  const withConsequence = (one: ConfigProblem): ConfigProblem => ({
    ...one,
    message: `${one.message} OpenCode leaves this skill out.`,
  });
  if (!read.ok) {
    const problem = fileProblem(file, 'error', read.message, read.fix, read.line);
    report(read.isOwnLimit ? problem : withConsequence(problem));
    return undefined;
  }
  const doubt = read.doubt && { file, key: '', ...read.doubt };
  const at = { file, lineOf: read.lineOf };
  const checked = checkShape(skillSchema(), read.data, at);
  if (doubt) report(checked.ok ? doubt : withConsequence(doubt));
  if (doubt?.severity !== 'error' || checked.ok) {
    for (const one of checked.problems)
      report(one.severity === 'error' ? withConsequence(one) : one);
  }
  if (checked.data === undefined) return undefined;
  const { name, description } = checked.data;
  const wrong = new Set(checked.problems.map(({ key }) => key));
  const warn = (key: string, message: string, fix: string): void => {
    if (!wrong.has(key)) report(problemAt(at, [key], 'warning', message, fix));
  };
  if (!isValidSkillName(name)) {
    warn(
      'name',
      '"name" has characters that are not allowed.',
      `Write lowercase letters, digits and "-", at most ${MAX_SKILL_NAME}.`,
    );
  } else if (path.split('/').at(-2) !== name) {
    warn(
      'name',
      `"name" is "${name}", its folder is "${path.split('/').at(-2) ?? ''}".`,
      'Give both one name.',
    );
  }
  if (description === undefined || description.trim() === '') {
    warn(
      'description',
      '"description" is missing: no agent is offered this skill.',
      'Add "description: what it does, and when to use it".',
    );
  } else if (description.length > MAX_DESCRIPTION) {
    warn(
      'description',
      `"description" is longer than ${MAX_DESCRIPTION} characters.`,
      'Move what is too long below the header.',
    );
  }
  return checked.ok ? { name, description, file, content: read.body } : undefined;
}
