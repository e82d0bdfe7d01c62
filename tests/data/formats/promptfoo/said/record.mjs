// Writes what promptfoo itself says of each assertion into said.json, beside this file. Python 3, and Node 22.22 or newer:
//   npm install promptfoo@0.123.1 && PROMPTFOO_DISABLE_TELEMETRY=1 node record.mjs
// A row's letters stand for its outputs: 1 passes, 0 fails, e is an error there.
import fs from 'node:fs';
import promptfoo from 'promptfoo';

const file = new URL('said.json', import.meta.url);
const data = JSON.parse(fs.readFileSync(file, 'utf8'));
const { runAssertion, runAssertions } = promptfoo.assertions;
const asked = (output, vars) => ({ prompt: 'x', vars, latencyMs: 10, providerResponse: { output, cost: 0.01 } });

for (const row of data.rows) {
  row.said = '';
  for (const output of data.outputs[row.outputs]) {
    try {
      const assertion = structuredClone(row.assert);
      const test = { vars: row.vars, assert: [assertion] };
      const { pass, score } = await runAssertion({ ...asked(output, row.vars), assertion, test });
      if (score !== Number(pass)) throw new Error(`${assertion.type} is graded`);
      row.said += Number(pass);
    } catch {
      row.said += 'e';
    }
  }
}
for (const test of data.tests) {
  const { pass, score } = await runAssertions({ ...asked(test.output, {}), test: structuredClone({ ...test, vars: {} }) });
  Object.assign(test, { pass, score });
}
const lines = (list) => '[\n' + list.map((one) => '    ' + JSON.stringify(one)).join(',\n') + '\n  ]';
const parts = Object.entries(data).map(([key, value]) =>
  `  ${JSON.stringify(key)}: ${Array.isArray(value) ? lines(value) : JSON.stringify(value)}`);
fs.writeFileSync(file, `{\n${parts.join(',\n')}\n}\n`);
process.exit(0);
