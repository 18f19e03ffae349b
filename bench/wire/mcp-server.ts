import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { sampleAnswer, sampleInput } from './sample-call';

/** The same tool as at the plugin's end, offered over MCP. */
export function mcpServer(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  const config = {
    description: 'What every contender offers.',
    inputSchema: sampleInput().shape,
  };
  server.registerTool('tasks', config, (input) => ({
    content: [{ type: 'text', text: sampleAnswer(input) }],
  }));
  return server;
}
