import { SecretStorage as MockSecretStorage } from 'obsidian-test-mocks/obsidian';

/** In memory only, so that the workbench writes no secret to disk. */
export class SecretStorage extends MockSecretStorage {
  static override create2__(app: never): SecretStorage {
    return new SecretStorage(app);
  }

  override setSecret(id: string, secret: string): void {
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id)) throw new Error(`Invalid secret id "${id}"`);
    super.setSecret(id, secret);
  }
}
