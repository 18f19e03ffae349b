/** A common ACP agent: its program, and the command that installs it. */
interface AcpAgent {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly install: string;
}

export const ACP_AGENTS: Readonly<Record<string, AcpAgent>> = {
  claude: {
    name: 'Claude Code',
    program: 'claude-agent-acp',
    args: [],
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
  },
  codex: {
    name: 'Codex',
    program: 'codex-acp',
    args: [],
    install: 'npm install -g @agentclientprotocol/codex-acp',
  },
  gemini: {
    name: 'Gemini',
    program: 'gemini',
    args: ['--acp'],
    install: 'npm install -g @google/gemini-cli',
  },
  opencode: {
    name: 'OpenCode (ACP)',
    program: 'opencode',
    args: ['acp'],
    install: 'npm install -g opencode-ai',
  },
};
