// Writes what Nunjucks makes of each template into rendered.json, beside this file: a text for each set of variables, or
// null where it fails. As promptfoo uses it: nothing is escaped, and a variable without a value is empty.
//   npm install nunjucks@3.2.4 && node record.mjs
import fs from 'node:fs';
import nunjucks from 'nunjucks';

const file = new URL('rendered.json', import.meta.url);
const data = JSON.parse(fs.readFileSync(file, 'utf8'));
const engine = nunjucks.configure({ autoescape: false });
const render = (template, variables) => {
  try {
    return engine.renderString(template, structuredClone(variables));
  } catch {
    return null;
  }
};
for (const row of data.rows) row.rendered = data.variables.map((variables) => render(row.template, variables));
const lines = (list) => '[\n' + list.map((one) => '    ' + JSON.stringify(one)).join(',\n') + '\n  ]';
fs.writeFileSync(file, `{\n  "variables": ${lines(data.variables)},\n  "rows": ${lines(data.rows)}\n}\n`);
