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
export type ProtectedKind = string;

/** Names that are protected wherever they stand. */
const NAMES: ReadonlyMap<string, ProtectedKind> = new Map([
  ['.git', 'part of a Git repository'],
  ['.opencode', 'part of OpenCode, of its rules or of the audit'],
  ['opencode.json', "OpenCode's configuration"],
  ['opencode.jsonc', "OpenCode's configuration"],
]);

const LEFT =
  'in a folder that held task boards; the person can release it in the settings, under "Rules"';

/** What no note tool reaches, whatever the rules say; told in any case and Unicode form. */
export class ProtectedPlaces {
  private readonly folders: readonly (readonly [folder: string, kind: ProtectedKind])[];
  private readonly boards: string;

  constructor({ configFolder, boardRoot, leftRoots = [] }: VaultPlaces) {
    this.boards = foldPath(boardRoot);
    this.folders = [
      [this.boards, 'a task board, which only the tool "tasks" changes'],
      ...(configFolder === undefined
        ? []
        : [[foldPath(configFolder), 'an Obsidian settings file'] as const]),
      ...leftRoots.map((root) => [foldPath(root), LEFT] as const),
    ];
  }

  /** What it is, or undefined where the rules decide. */
  kindOf(target: VaultTarget): ProtectedKind | undefined {
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

function kindOfName(name: string): ProtectedKind | undefined {
  const hidden = name.startsWith('.') ? 'a hidden file, which Obsidian does not show' : undefined;
  return NAMES.get(name) ?? hidden;
}
