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

/** The adapter on a phone, which has no path on disk. */
export class CapacitorAdapter extends DiskAdapter {
  override getFullPath(path: string): string {
    return path;
  }
}
