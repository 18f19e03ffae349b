import { resolveInside } from './config-layer';
import { problemAt } from './config-problem';
import type { Config } from './config-schema';
import type { ConfigLoadState } from './skills';

export interface Instruction {
  /** or a URL, which OpenCode reads at each prompt */
  readonly file: string;
  readonly text: string | undefined;
}

/**
 * The instructions, in the order in which OpenCode adds them to a prompt. Leaves out empty files.
 */
export async function loadInstructions(
  config: Config,
  reading: ConfigLoadState,
): Promise<readonly Instruction[]> {
  const { own, personal } = reading;
  const found = new Map<string, Instruction>();
  const addFile = async (folder: typeof own, path: string): Promise<void> => {
    const file = folder.nameOf(path);
    if (found.has(file)) return;
    const text = await folder.read(path, 'instruction');
    if (text !== undefined && text !== '') found.set(file, { file, text });
  };
  if (personal) await addFile(personal, 'AGENTS.md');
  // Of the vault's own files, only the first that exists.
  for (const name of ['AGENTS.md', 'CLAUDE.md', 'CONTEXT.md']) {
    if (!(await own.has(name))) continue;
    await addFile(own, name);
    break;
  }
  const patterns = config.instructions ?? [];
  const isUrl = (pattern: string): boolean => /^https?:\/\//.test(pattern);
  for (const pattern of patterns.filter((one) => !isUrl(one))) {
    for (const path of await matchingFiles(pattern, reading)) await addFile(own, path);
  }
  const addresses = patterns.filter(isUrl).map((file) => ({ file, text: undefined }));
  return [...found.values(), ...addresses];
}

async function matchingFiles(
  pattern: string,
  { own, layers, problems }: ConfigLoadState,
): Promise<readonly string[]> {
  const plain = resolveInside('', pattern);
  const leadsOut = plain === undefined;
  const paths = leadsOut ? [] : await own.filesMatching(plain);
  const layer = layers.find(({ config }) => config.instructions?.includes(pattern));
  if (layer === undefined) return paths;
  const key = ['instructions', layer.config.instructions?.indexOf(pattern) ?? 0];
  if (pattern.startsWith('**') && !(await own.has('.git/HEAD'))) {
    const message = `Outside of git OpenCode looks for "${pattern}" in every folder above the vault, too.`;
    const fix = 'Begin it with a folder, as in "docs/**/*.md".';
    problems.push(problemAt(layer, key, 'warning', message, fix));
  }
  if (paths.length > 0) return paths;
  const message = leadsOut
    ? `"${pattern}" leads out of the vault: OpenCode reads it, here it is not read.`
    : `"${pattern}" names no file.`;
  const fix = leadsOut ? 'Put the file into the vault.' : 'Correct it, or remove it.';
  problems.push(problemAt(layer, key, 'warning', message, fix));
  return paths;
}
