/** An MCP server over streamable HTTP, with the SDK's defaults. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { mcpServer } from '../mcp-server';

const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
await mcpServer().connect(transport);
const http = createServer((request, response) => {
  void transport.handleRequest(request, response);
});
http.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (http.address() as AddressInfo).port });
});
process.once('disconnect', () => {
  http.close();
  http.closeAllConnections();
});
