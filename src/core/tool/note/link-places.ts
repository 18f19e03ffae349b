/** The files of a vault by their names, for links that don't say where a file is. */
export class LinkPlaces {
  /** by name in lower case */
  private readonly byName = new Map<string, string[]>();

  /** @param files paths of notes and other files */
  constructor(files: Iterable<string>) {
    for (const path of files) {
      const name = lastName(path).toLowerCase();
      const same = this.byName.get(name);
      if (same === undefined) this.byName.set(name, [path]);
      else same.push(path);
    }
  }

  /**
   * Where a link leads, as in Obsidian: `./` and `../` begin at the note's folder, a path that is
   * written out counts first, then a file in the note's folder or below it, then the shortest path.
   * @param link its path, without heading and block
   * @param from the note that has it
   */
  leadsTo(link: string, from: string): string | undefined {
    const written = /^\.{1,2}\//.test(link)
      ? joined(folderOf(from), link)
      : link.replace(/^\/+/, '');
    if (written === undefined) return undefined;
    const path = written.normalize('NFC').toLowerCase();
    const found = this.ending(path).concat(this.ending(`${path}.md`));
    const exact = found.find((one) => [path, `${path}.md`].includes(one.toLowerCase()));
    if (exact !== undefined || written !== link) return exact;
    const folder = folderOf(from);
    const near = found.filter((one) => folder !== '' && one.startsWith(`${folder}/`));
    return shortest(near) ?? shortest(found);
  }

  /** Files whose paths end with this one. @param path in lower case */
  private ending(path: string): string[] {
    const named = this.byName.get(lastName(path)) ?? [];
    return named.filter((one) => `/${one.toLowerCase()}`.endsWith(`/${path}`));
  }
}

function shortest(paths: readonly string[]): string | undefined {
  return [...paths].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0];
}

/** Undefined where it leads out of the vault. */
function joined(folder: string, link: string): string | undefined {
  const names = folder === '' ? [] : folder.split('/');
  for (const name of link.split('/')) {
    if (name === '..' && names.pop() === undefined) return undefined;
    if (name !== '.' && name !== '..' && name !== '') names.push(name);
  }
  return names.join('/');
}

/** The folder of a path; '' for the vault. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
