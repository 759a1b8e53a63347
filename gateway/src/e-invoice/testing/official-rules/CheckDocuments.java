import java.io.File;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.StringWriter;
import java.net.URL;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.transform.Source;
import javax.xml.transform.Templates;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.xml.sax.SAXException;

/**
 * Checks documents: each argument is `FILE=CHECK,CHECK`. A check is an XML schema (several files
 * joined by `+`, imported ones first) or a compiled Schematron of the class path, or `PDFA_3_B`.
 * Prints one line for each violation.
 */
final class CheckDocuments {
  private static final Pattern ASSERTION =
      Pattern.compile("<svrl:failed-assert(.*?)>.*?<svrl:text>(.*?)</svrl:text>", Pattern.DOTALL);

  private final Map<String, Schema> schemas = new HashMap<>();
  private final Map<String, Templates> rules = new HashMap<>();

  public static void main(String[] arguments) throws Exception {
    VeraGreenfieldFoundryProvider.initialise();
    CheckDocuments checks = new CheckDocuments();
    for (String argument : arguments) {
      String[] parts = argument.split("=");
      for (String resource : parts[1].split(",")) checks.check(new File(parts[0]), resource);
    }
    System.out.println("checked " + arguments.length);
  }

  private void check(File file, String resource) throws Exception {
    if (resource.endsWith(".xsd")) checkSchema(file, resource);
    else if (resource.endsWith(".xslt")) checkRules(file, resource);
    else checkArchive(file);
  }

  private void checkSchema(File file, String resource) throws Exception {
    Schema schema = schemas.get(resource);
    if (schema == null) {
      Source[] parts =
          Stream.of(resource.split("\\+"))
              .map(part -> new StreamSource(urlOf(part).toString()))
              .toArray(Source[]::new);
      schema = SchemaFactory.newDefaultInstance().newSchema(parts);
      schemas.put(resource, schema);
    }
    try {
      schema.newValidator().validate(new StreamSource(file));
    } catch (SAXException invalid) {
      report(file, invalid.getMessage());
    }
  }

  private void checkRules(File file, String resource) throws Exception {
    Templates templates = rules.get(resource);
    if (templates == null) {
      TransformerFactory factory = new net.sf.saxon.TransformerFactoryImpl();
      templates = factory.newTemplates(new StreamSource(urlOf(resource).toString()));
      rules.put(resource, templates);
    }
    StringWriter found = new StringWriter();
    templates.newTransformer().transform(new StreamSource(file), new StreamResult(found));
    if (!found.toString().contains("svrl:fired-rule")) report(file, "no rule applied");
    Matcher assertion = ASSERTION.matcher(found.toString());
    while (assertion.find()) {
      boolean isViolation = !assertion.group(1).contains("flag=\"information\"");
      if (isViolation) report(file, assertion.group(2).strip());
    }
  }

  private void checkArchive(File file) throws Exception {
    PDFAFlavour flavour = PDFAFlavour.PDFA_3_B;
    try (InputStream bytes = new FileInputStream(file);
        PDFAParser parser = Foundries.defaultInstance().createParser(bytes, flavour)) {
      var result = Foundries.defaultInstance().createValidator(flavour, false).validate(parser);
      if (result.isCompliant()) return;
      report(file, "is no PDF/A-3b");
      for (TestAssertion assertion : result.getTestAssertions()) {
        if (assertion.getStatus() != TestAssertion.Status.FAILED) continue;
        report(file, assertion.getRuleId().getClause() + ": " + assertion.getMessage());
      }
    }
  }

  private static URL urlOf(String resource) {
    URL url = CheckDocuments.class.getClassLoader().getResource(resource);
    if (url == null) throw new IllegalStateException(resource + " is not on the class path");
    return url;
  }

  private static void report(File file, String message) {
    System.out.println(file.getName() + ": " + message.replaceAll("\\s+", " "));
  }
}
