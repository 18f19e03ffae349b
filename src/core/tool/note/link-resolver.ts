/** Finds the files that links lead to, by file name. */
export class LinkResolver {
  /** paths by file name in lower case */
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
   * Resolves a link as Obsidian does: `./` and `../` are relative to the note's folder. Otherwise
   * an exact path comes first, then a file in the note's folder or below it, then the shortest
   * path.
   * @param link the path in the link, without heading and block
   * @param from path of the note with the link
   */
  resolve(link: string, from: string): string | undefined {
    const written = /^\.{1,2}\//.test(link)
      ? joined(folderOf(from), link)
      : link.replace(/^\/+/, '');
    if (written === undefined) return undefined;
    const path = written.normalize('NFC').toLowerCase();
    const found = this.filesEndingWith(path).concat(this.filesEndingWith(`${path}.md`));
    const exact = found.find((one) => [path, `${path}.md`].includes(one.toLowerCase()));
    if (exact !== undefined || written !== link) return exact;
    const folder = folderOf(from);
    const near = found.filter((one) => folder !== '' && one.startsWith(`${folder}/`));
    return shortest(near) ?? shortest(found);
  }

  /**
   * Files whose paths end with this one.
   * @param path in lower case
   */
  private filesEndingWith(path: string): string[] {
    const named = this.byName.get(lastName(path)) ?? [];
    return named.filter((one) => `/${one.toLowerCase()}`.endsWith(`/${path}`));
  }
}

function shortest(paths: readonly string[]): string | undefined {
  return [...paths].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0];
}

/** Returns undefined if the link leads out of the vault. */
function joined(folder: string, link: string): string | undefined {
  const names = folder === '' ? [] : folder.split('/');
  for (const name of link.split('/')) {
    if (name === '..' && names.pop() === undefined) return undefined;
    if (name !== '.' && name !== '..' && name !== '') names.push(name);
  }
  return names.join('/');
}

/** The folder of a path; '' for the vault itself. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
