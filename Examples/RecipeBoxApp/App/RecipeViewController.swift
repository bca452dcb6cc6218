import Daybook
import DaybookApple
import RecipeBoxEvents
import UIKit

/// The recipe screen in UIKit.
final class RecipeViewController: UIViewController {
    private let id: Int64
    private let log = Log("app.recipe")
    private let save = UIButton(type: .system)

    init(id: Int64) {
        self.id = id
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        super.viewDidLoad()
        logs(onAppear: RecipeDetail.show(recipeId: id, referrer: .search, cuisine: .japanese))
        save.logs(onTap: RecipeDetail.save(recipeId: id, folderName: nil))
        view.addSubview(save)
        log.debug("Recipe \(id) is ready")
    }
}

extension AppLog {
    /// For an app without SwiftUI, once its window exists: opens the inspector by a shake, and shows the records to UI
    /// tests. Keep the result.
    func prepare(_ window: UIWindow) -> InspectorPresenter {
        window.addRecords(forUITest: records)
        return InspectorPresenter { self.inspector.map { ($0.handler, $0.token.text) } }
    }
}
