import { foldPath, type VaultTarget } from './vault-target';

/** Folders of the vault that are not the same in all vaults; relative to it. */
export interface VaultPlaces {
  /**
   * where Obsidian keeps its settings; undefined where the program can't know. A hidden folder, which it is
   * unless the person moved it by hand, is protected in any case.
   */
  readonly configFolder?: string;
  /** where the boards are */
  readonly boardRoot: string;
  /** where boards were, and may still be */
  readonly leftRoots?: readonly string[];
}

/** What a place is, as in "this is …". */
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

/** Names that are protected wherever they stand. */
const NAMES: ReadonlyMap<string, ProtectedPlace> = new Map([
  ['.git', 'git'],
  ['.opencode', 'opencode'],
  ['opencode.json', 'configuration'],
  ['opencode.jsonc', 'configuration'],
]);

/** What no note tool reaches, whatever the rules say; told in any case and Unicode form. */
export class ProtectedPlaces {
  private readonly folders: readonly (readonly [folder: string, kind: ProtectedPlace])[];
  private readonly boards: string;

  constructor({ configFolder, boardRoot, leftRoots = [] }: VaultPlaces) {
    this.boards = foldPath(boardRoot);
    this.folders = [
      [this.boards, 'board'],
      ...(configFolder === undefined ? [] : [[foldPath(configFolder), 'settings'] as const]),
      ...leftRoots.map((root) => [foldPath(root), 'left'] as const),
    ];
  }

  /** What it is, or undefined where the rules decide. */
  kindOf(target: VaultTarget): ProtectedPlace | undefined {
    for (const path of target.paths) {
      const folded = foldPath(path);
      const held = this.folders.find(([folder]) => isIn(folded, folder));
      if (held !== undefined) return held[1];
      const kinds = folded.split('/').map(kindOfName);
      const named = kinds.find((kind) => kind !== undefined);
      if (named !== undefined) return named;
    }
    return undefined;
  }

  /** Whether it is a board's place: the only one that `tasks` reaches. */
  isBoard(target: VaultTarget): boolean {
    return target.paths.every((path) => isIn(foldPath(path), this.boards));
  }
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function kindOfName(name: string): ProtectedPlace | undefined {
  return NAMES.get(name) ?? (name.startsWith('.') ? 'hidden' : undefined);
}
