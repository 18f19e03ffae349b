import { DiskAdapter } from './disk-adapter';

/** What desktop plugins test for with `instanceof`. */
export class FileSystemAdapter extends DiskAdapter {
  getBasePath(): string {
    return this.basePath;
  }

  getFilePath(path: string): string {
    return `file://${this.getFullPath(path)}`;
  }
}

/** What the phone has in its place: it knows no path on disk. */
export class CapacitorAdapter extends DiskAdapter {
  override getFullPath(path: string): string {
    return path;
  }
}
