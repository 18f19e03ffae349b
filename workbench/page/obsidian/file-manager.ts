import {
  FileManager as MockManager,
  TFile,
  type App,
  type TAbstractFile,
} from 'obsidian-test-mocks/obsidian';

interface LinkPosition {
  readonly source: TFile;
  readonly from: number;
  readonly to: number;
  readonly link: string;
}

/** Renames like the app: never overwrites a file, and updates the links of other notes. */
export class FileManager extends MockManager {
  constructor(private readonly own: App) {
    super(own);
  }

  override async renameFile(file: TAbstractFile, newPath: string): Promise<void> {
    const { vault } = this.own;
    if (vault.getAbstractFileByPath(newPath) !== null)
      throw new Error('Destination file already exists!');
    const above = newPath.slice(0, Math.max(0, newPath.lastIndexOf('/')));
    if (above !== '' && vault.getFolderByPath(above) === null)
      throw new Error(`ENOENT: no folder ${above}`);
    const links = file instanceof TFile ? this.#linksTo(file) : [];
    const { path } = file;
    await vault.rename(file, newPath);
    for (const source of new Set(links.map((one) => one.source))) {
      const own = links.filter((one) => one.source === source).sort((a, b) => b.from - a.from);
      await vault.process(source, (text: string) =>
        own.reduce(
          (now, { from, to, link }) =>
            now.slice(0, from) +
            now.slice(from, to).replace(link, updateLink(link, path, newPath)) +
            now.slice(to),
          text,
        ),
      );
    }
  }

  #linksTo(file: TFile): readonly LinkPosition[] {
    const { metadataCache, vault } = this.own;
    return Object.entries(metadataCache.resolvedLinks).flatMap(([path, targets]) => {
      const source = vault.getFileByPath(path);
      if (source === null || !Object.hasOwn(targets, file.path)) return [];
      const { links = [], embeds = [] } = metadataCache.getCache(path) ?? {};
      return [...links, ...embeds].flatMap(({ link, position }) => {
        const [name = ''] = link.split('#');
        if (metadataCache.getFirstLinkpathDest(name, path)?.path !== file.path) return [];
        return [{ source, from: position.start.offset, to: position.end.offset, link }];
      });
    });
  }
}

/**
 * Updates a link: one with the full path keeps the full path, one with the name only keeps that;
 * the extension is kept or left out as before.
 */
function updateLink(link: string, before: string, now: string): string {
  const [name = ''] = link.split('#');
  const ending = name.endsWith('.md') ? now : now.replace(/\.md$/, '');
  const isWhole = name.replace(/\.md$/, '') === before.replace(/\.md$/, '');
  return (isWhole ? ending : ending.slice(ending.lastIndexOf('/') + 1)) + link.slice(name.length);
}
