/** The app's storage for a vault on this device, as JSON. */
export class LocalStorage {
  private readonly texts = new Map<string, string>();

  loadLocalStorage(key: string): unknown {
    const text = this.texts.get(key);
    return text === undefined ? null : JSON.parse(text);
  }

  saveLocalStorage(key: string, data: unknown): void {
    if (data === null) this.texts.delete(key);
    else this.texts.set(key, JSON.stringify(data));
  }
}
