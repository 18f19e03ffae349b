import type { ServedBy } from '../../bridge/serve-engine';
import type { CliSurroundings, Exit, Given, OpenVault } from '../command';

/** An engine as the options of `agent-boards serve` describe it. */
interface Described extends ServedBy {
  /** for a person: what the sessions run on */
  readonly on: string;
}

/** Reads the options of one engine, or says what is wrong with them. */
export type ServeEngine = (
  given: Given,
  around: CliSurroundings,
  /** for the person, where it is served all the same */
  warn: (text: string) => void,
  vault: OpenVault,
) => Promise<Described | Exit>;
