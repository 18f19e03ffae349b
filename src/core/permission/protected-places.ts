import { foldPath, type VaultTarget } from './vault-target';

/** Folders that differ between vaults; relative to the vault. */
export interface VaultFolders {
  /**
   * Obsidian's settings folder; undefined if the program can't know it. It is protected in any case
   * while it is hidden, which it is unless the person moved it by hand.
   */
  readonly configFolder?: string;
  /** the current board folder */
  readonly boardRoot: string;
  /** former board folders, which may still contain boards */
  readonly leftRoots?: readonly string[];
}

/** Descriptions of protected places; they complete "this is …". */
export const PROTECTED_WORDS = {
  git: 'part of a Git repository',
  opencode: 'part of OpenCode, of its rules or of the audit',
  configuration: "OpenCode's configuration",
  board: 'a task board, which only the tool "tasks" changes',
  settings: 'an Obsidian settings file',
  left: 'in a folder that held task boards; the person can release it in the settings, under "Rules"',
  hidden: 'a hidden file, which Obsidian does not show',
} as const;

export type ProtectedPlace = keyof typeof PROTECTED_WORDS;

/** Names that are protected in any folder. */
const PROTECTED_NAMES: ReadonlyMap<string, ProtectedPlace> = new Map([
  ['.git', 'git'],
  ['.opencode', 'opencode'],
  ['opencode.json', 'configuration'],
  ['opencode.jsonc', 'configuration'],
]);

/**
 * The places that no note tool can reach, whatever the rules say. Ignores case and Unicode form.
 */
export class ProtectedPlaces {
  private readonly folders: readonly (readonly [folder: string, kind: ProtectedPlace])[];
  private readonly boards: string;

  constructor({ configFolder, boardRoot, leftRoots = [] }: VaultFolders) {
    this.boards = foldPath(boardRoot);
    this.folders = [
      [this.boards, 'board'],
      ...(configFolder === undefined ? [] : [[foldPath(configFolder), 'settings'] as const]),
      ...leftRoots.map((root) => [foldPath(root), 'left'] as const),
    ];
  }

  /** Returns the kind of protected place; undefined if the rules decide. */
  kindOf(target: VaultTarget): ProtectedPlace | undefined {
    for (const path of target.paths) {
      const folded = foldPath(path);
      const protectedFolder = this.folders.find(([folder]) => isIn(folded, folder));
      if (protectedFolder !== undefined) return protectedFolder[1];
      const kinds = folded.split('/').map(kindOfName);
      const named = kinds.find((kind) => kind !== undefined);
      if (named !== undefined) return named;
    }
    return undefined;
  }

  /** Whether the target is in the board folder, the only place that `tasks` can reach. */
  isBoard(target: VaultTarget): boolean {
    return target.paths.every((path) => isIn(foldPath(path), this.boards));
  }
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function kindOfName(name: string): ProtectedPlace | undefined {
  return PROTECTED_NAMES.get(name) ?? (name.startsWith('.') ? 'hidden' : undefined);
}
